"""The public calls, a page each: ask, plan, run, wrap. Import them from ``steppe``; a module in here has the name of its function."""
