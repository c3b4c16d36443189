"""The loop over impressions, compiled: it plays any learner that shows lists and is told clicks."""
