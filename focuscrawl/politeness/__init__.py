"""How sites are treated: delays, hours, quotas, robots.txt, and what is sent to them."""
