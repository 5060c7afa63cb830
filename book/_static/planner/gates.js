/* How often a mean reaches a threshold, as gtlib.gate_power. No page is
 * needed. */
(function (root) {
  "use strict";

  const { smallest } = root.plannerArithmetic;
  const { binomial, normal } = root.plannerChance;
  const ROUNDING = 1e-12;
  const MOST = 1e6;

  /* The variances of tasks and of runs, by what is true. A gate has a
   * `threshold`, `tasks` and `runs`; its scores are 0 and 1 with a `share`
   * of the variance between tasks, or have `taskSd` and `runSd`. */
  function spread({ binary, share, taskSd, runSd }, truth) {
    if (!binary) return [taskSd ** 2, runSd ** 2];
    const whole = truth * (1 - truth);
    return [share * whole, (1 - share) * whole];
  }

  /* What has to be exceeded: half a score below the least that passes. */
  function edgeOf({ binary, threshold, tasks, runs }) {
    const scores = tasks * runs;
    return binary ? (Math.ceil(threshold * scores * (1 - ROUNDING)) - 0.5) /
      scores : threshold;
  }

  /* The probability of passing, with other tasks and with the same. */
  function passes(gate, truth, edge = edgeOf(gate)) {
    const { binary, threshold, tasks, runs } = gate;
    const [between, within] = spread(gate, truth);
    const whole = truth * (1 - truth);
    const one = (variance) => {
      if (binary && edge < 0) return 1;
      if (!(variance > 0)) {
        return Number(truth >= threshold - ROUNDING * Math.abs(threshold));
      }
      const number = whole / variance;
      return binary ? binomial(number * edge + 0.5, number, truth)
        : normal((truth - edge) / Math.sqrt(variance));
    };
    return { other: one(binary && runs === 1 ? whole / tasks
      : (between + within / runs) / tasks), same: one(within / tasks / runs) };
  }

  /* The number of tasks from which on the gate passes what is `stop`, and
   * stops what is `pass`, at most so often; null if no million are enough.
   * The least mean of 0 and 1 that passes is up to a score above the
   * threshold, by the number of tasks: the worst case is taken. */
  function tasksFor(gate, { stop, pass, wrong }, kind) {
    return smallest(1, MOST, (tasks) => {
      const one = { ...gate, tasks };
      const half = gate.binary ? 0.5 / (tasks * gate.runs) : 0;
      const { threshold } = gate;
      return passes(one, stop, threshold - half)[kind] <= wrong &&
        passes(one, pass, threshold + half)[kind] >= 1 - wrong;
    });
  }

  root.plannerGates = { passes, spread, tasksFor };
}(globalThis));
