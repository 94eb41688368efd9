/** The calls of Step Functions that a worker needs: the SDK's `SFN` has them. */
export interface TaskCalls {
  sendTaskHeartbeat(input: { taskToken: string }): Promise<unknown>;
  sendTaskSuccess(input: { taskToken: string; output: string }): Promise<unknown>;
  sendTaskFailure(input: { taskToken: string; error: string; cause: string }): Promise<unknown>;
}

/** A message of `Jobs`. */
export interface Job {
  readonly body: string;
  /** Deletes the message from the queue. */
  delete(): Promise<unknown>;
}

/** How often the worker reports that it is alive, and learns whether the task has ended. */
const HEARTBEAT_MS = 200_000;

/** Step Functions accepts no result of this job any more: it has ended or timed out, and may have been sent again. */
const ENDED = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];

/** Sends a heartbeat. Returns whether Step Functions still waits for the work. */
async function isWaitedFor(steps: TaskCalls, taskToken: string): Promise<boolean> {
  try {
    await steps.sendTaskHeartbeat({ taskToken });
    return true;
  } catch (error) {
    if (error instanceof Error && ENDED.includes(error.name)) return false;
    throw error;
  }
}

/**
 * Does the work of one message of `Jobs`, for days if necessary. It deletes the message before it begins: from then on the
 * task token is what keeps the work. If this process dies, Step Functions misses the heartbeat and sends the job again.
 *
 * @param work stops when the signal is aborted, because its result would not be accepted
 */
export async function workFor(
  steps: TaskCalls,
  job: Job,
  work: (body: string, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { token: taskToken, body }: { token: string; body: string } = JSON.parse(job.body);
  const isCurrent = await isWaitedFor(steps, taskToken);
  await job.delete();
  if (!isCurrent) return;

  const ended = new AbortController();
  const beat = () =>
    isWaitedFor(steps, taskToken).then(
      waitedFor => waitedFor || ended.abort(),
      error => console.error('heartbeat failed', error),
    );
  const pulse = setInterval(beat, HEARTBEAT_MS);
  let output: string;
  try {
    output = JSON.stringify(await work(body, ended.signal)) ?? 'null';
  } catch (error) {
    if (ended.signal.aborted) return;
    await steps.sendTaskFailure({ taskToken, error: 'WorkFailed', cause: String(error).slice(0, 32_768) });
    return;
  } finally {
    clearInterval(pulse);
  }
  if (!ended.signal.aborted) await steps.sendTaskSuccess({ taskToken, output });
}
