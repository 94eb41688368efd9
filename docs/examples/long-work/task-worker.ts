/** The calls of Step Functions that a worker needs: the SDK's `SFN` has them. */
export interface TaskCalls {
  sendTaskHeartbeat(input: { taskToken: string }): Promise<unknown>;
  sendTaskSuccess(input: { taskToken: string; output: string }): Promise<unknown>;
  sendTaskFailure(input: { taskToken: string; error: string; cause: string }): Promise<unknown>;
}

/** A third of the heartbeat timeout, so that two heartbeats may fail. */
const HEARTBEAT_MS = 200_000;

/**
 * Does the work of one message of `Jobs`, for days if necessary. Delete the message before: from then on the task token
 * is what keeps the work. If this process dies, Step Functions misses the heartbeat and sends the job again.
 */
export async function workFor(
  steps: TaskCalls,
  message: string,
  work: (body: string) => Promise<unknown>,
): Promise<void> {
  const { token: taskToken, body }: { token: string; body: string } = JSON.parse(message);
  const pulse = setInterval(() => {
    steps.sendTaskHeartbeat({ taskToken }).catch(error => console.error('heartbeat failed', error));
  }, HEARTBEAT_MS);
  let output: string;
  try {
    output = JSON.stringify(await work(body)) ?? 'null';
  } catch (error) {
    await steps.sendTaskFailure({ taskToken, error: 'WorkFailed', cause: String(error).slice(0, 32_768) });
    return;
  } finally {
    clearInterval(pulse);
  }
  await steps.sendTaskSuccess({ taskToken, output });
}
