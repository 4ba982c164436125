"""What runs: the question that was asked, the plan that answers it, and what is told afterwards. Nothing is searched in here."""
