"""What a crawl says and writes: its summary and report, explanations, exports, feeds, notices, the jobs that run."""
