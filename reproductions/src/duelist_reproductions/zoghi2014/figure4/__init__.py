"""Figure 4: regret and accuracy of RUCB, Condorcet SAVAGE and Beat the Mean."""
