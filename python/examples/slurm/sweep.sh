#!/usr/bin/env bash
# A sweep as a Slurm job array: each task runs a share, and a last job puts the shares together.
#
#   sbatch --array=1-100 python/examples/slurm/sweep.sh SWEEP.toml RESULTS
#   sbatch --dependency=singleton --job-name=sweep python/examples/slurm/sweep.sh SWEEP.toml RESULTS      # the same name: it waits for all
#
# A task that failed or lost its node is submitted again (--array=17): it goes on where it was, and its bytes are the same. The folders must be
# on a file system that all nodes have.
#SBATCH --job-name=sweep
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=500M
#SBATCH --requeue
set -euo pipefail
sweep=$1 results=$2
symbiosis=${SYMBIOSIS:-symbiosis}

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
    # The array counts from 1; how many tasks it has is the number of shares.
    "$symbiosis" sweep "$sweep" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --threads "${SLURM_CPUS_PER_TASK:-1}" \
        --out "$results.shards/$SLURM_ARRAY_TASK_ID"
else
    "$symbiosis" sweep merge "$results.shards"/* --out "$results"
fi
