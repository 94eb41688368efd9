import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { addLongWork } from '../../docs/examples/long-work/beyond-twelve-hours';
import { workFor } from '../../docs/examples/long-work/task-worker';
import { ROOT } from '../repository/source-files';
import { newApp } from '../support/new-app';

/**
 * AWS's page on the visibility timeout: extending it does not reset the 12 hours since the receive, and for work that takes
 * longer it recommends Step Functions, or smaller steps.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html#connect-wait-token
 */
describe('Work beyond twelve hours', () => {
  test('waits in Step Functions for a task token, with a heartbeat', () => {
    const stack = new Stack(newApp(), 'Stack');
    addLongWork(stack);
    const template = Template.fromStack(stack);
    const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
    const definition = JSON.stringify(machine?.['Properties'].DefinitionString);
    expect(definition).toContain('sqs:sendMessage.waitForTaskToken');
    expect(definition).toContain('\\"HeartbeatSeconds\\":43200');
    expect(definition).toContain('\\"TimeoutSeconds\\":604800');
    expect(definition).toContain('States.HeartbeatTimeout');
    template.resourceCountIs('AWS::SQS::Queue', 6);
  });

  /** Runs a worker. Returns the calls to Step Functions in order. */
  async function callsOf(
    work: (body: string, signal: AbortSignal) => Promise<unknown>,
    heartbeats: (string | undefined)[] = [],
  ): Promise<unknown[]> {
    const calls: unknown[] = [];
    const record = (name: string) => async (input: object) => {
      calls.push({ name, ...input });
      const failure = name === 'heartbeat' ? heartbeats.shift() : undefined;
      if (failure !== undefined) throw Object.assign(new Error(failure), { name: failure });
    };
    const steps = {
      sendTaskHeartbeat: record('heartbeat'),
      sendTaskSuccess: record('success'),
      sendTaskFailure: record('failure'),
    };
    const job = { body: JSON.stringify({ token: 'token', body: 'order 1' }), delete: () => record('delete')({}) };
    await workFor(steps, job, work).catch((error: Error) => calls.push(`throws ${error.message}`));
    expect(jest.getTimerCount()).toBe(0);
    return calls;
  }

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('is reported as alive while it lasts, and then as done', async () => {
    const calls = await callsOf(async body => {
      await jest.advanceTimersByTimeAsync(13 * 3_600_000);
      return `${body} is done`;
    });
    expect(calls).toHaveLength(237);
    expect(calls.slice(0, 2)).toEqual([{ name: 'heartbeat', taskToken: 'token' }, { name: 'delete' }]);
    expect(calls.slice(-2)).toEqual([
      { name: 'heartbeat', taskToken: 'token' },
      { name: 'success', taskToken: 'token', output: '"order 1 is done"' },
    ]);
  });

  test('is reported as failed', async () => {
    expect((await callsOf(() => Promise.reject(new Error('no')))).slice(2)).toEqual([
      { name: 'failure', taskToken: 'token', error: 'WorkFailed', cause: 'Error: no' },
    ]);
  });

  test.each(['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'])(
    'is not begun with a stale token, and its message is deleted: %s',
    async error => {
      const work = jest.fn(async () => 'done');
      expect(await callsOf(work, [error])).toEqual([{ name: 'heartbeat', taskToken: 'token' }, { name: 'delete' }]);
      expect(work).not.toHaveBeenCalled();
    },
  );

  test('is not begun if it is unknown whether the token is valid, and its message is not deleted', async () => {
    const work = jest.fn(async () => 'done');
    expect(await callsOf(work, ['TimeoutError'])).toEqual([
      { name: 'heartbeat', taskToken: 'token' },
      'throws TimeoutError',
    ]);
    expect(work).not.toHaveBeenCalled();
  });

  test.each([
    ['returns', () => 'done'],
    [
      'throws',
      () => {
        throw new Error('stopped');
      },
    ],
  ])('is stopped when its token expires, and then reports nothing: the work %s', async (_, end) => {
    jest.spyOn(console, 'error').mockReturnValue();
    const calls = await callsOf(
      async (_body, signal) => {
        await jest.advanceTimersByTimeAsync(500_000);
        expect(signal.aborted).toBe(false);
        await jest.advanceTimersByTimeAsync(200_000);
        expect(signal.aborted).toBe(true);
        return end();
      },
      [undefined, undefined, 'TimeoutError', 'TaskTimedOut'],
    );
    expect(calls.map(it => Object(it).name)).toEqual(['heartbeat', 'delete', 'heartbeat', 'heartbeat', 'heartbeat']);
  });

  test('is begun once for a message that is received twice, even after its execution has ended', async () => {
    const stack = new Stack(newApp(), 'Stack');
    addLongWork(stack);
    const functions = Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'));
    const code: string = functions.map(it => it['Properties'].Code.ZipFile).find(it => it?.includes('startExecution'));
    const failures = ['', 'ExecutionAlreadyExists', 'ThrottlingException'];
    class SFN {
      async startExecution(): Promise<void> {
        const name = failures.shift();
        if (name) throw Object.assign(new Error(name), { name });
      }
    }
    const exported: { handler?: (event: object) => Promise<void> } = {};
    new Function('require', 'exports', 'process', code)(() => ({ SFN }), exported, { env: {} });
    const start = () => exported.handler?.({ Records: [{ messageId: 'a', body: 'order 1' }] });
    await start();
    await expect(start()).resolves.toBeUndefined();
    await expect(start()).rejects.toThrow('ThrottlingException');
  });

  test('is shown by files to which the guide links', () => {
    const guide = readFileSync(path.join(ROOT, 'docs/consumer.md'), 'utf8');
    for (const file of ['beyond-twelve-hours.ts', 'task-worker.ts']) {
      expect(guide).toContain(`](examples/long-work/${file})`);
    }
  });
});
