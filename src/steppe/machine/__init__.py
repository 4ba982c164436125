"""What this process may use of its machine: threads, memory, locks that a fork does not leave shut. It knows nothing of graphs."""
