"""Turns of an event loop: how something takes its time in a test, without a clock."""

from __future__ import annotations

import asyncio


async def turns(number: int) -> None:
    """Let all others go on so many times: who waits for fewer turns is done before."""
    for _ in range(number):
        await asyncio.sleep(0)
