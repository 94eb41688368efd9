import { firstFailedPrecondition } from './gates';
import { firedSince } from './health';
import type { RedriveDecision } from './redrive-decision';
import { movedIn, newestMove, newestStep, type Run, type RunStep } from './runs';
import type { RedriveContext } from './view';

function wait(reason: string): RedriveDecision {
  return { kind: 'wait', reason };
}

/** Both by its rate and by what SQS tells: a count that comes late delays the end, and a task that is slow has more time. */
function hasMovedEnough({ facts }: RedriveContext, step: RunStep): boolean {
  const { startedAtMs, messagesPerSecond = 1 } = newestMove(step);
  if (step.messages === undefined || movedIn(step) < step.messages) return false;
  return ((facts.nowMs - startedAtMs) * messagesPerSecond) / 1_000 >= step.messages;
}

/** What is done about a move of ours that is not over. Who moves messages one by one watches for himself. */
export function watchRunningMove(view: RedriveContext, run: Run): RedriveDecision {
  const step = newestStep(run);
  const { carrier, status, handle, moved } = newestMove(step);
  if (carrier !== 'task') return wait('the function moves messages');
  if (status === 'CANCELLING' || handle === undefined) return wait('the task is about to end');
  const shut =
    firstFailedPrecondition('watch', view) ?? firedSince(view, run.steps[0].moves[0].startedAtMs, view.facts.nowMs);
  if (shut) return { kind: 'cancel', handle, ...shut };
  if (hasMovedEnough(view, step)) {
    return { kind: 'cancel', handle, cause: 'step-done', reason: `the step has moved ${movedIn(step)} messages` };
  }
  return wait(`the task has moved ${moved} messages`);
}
