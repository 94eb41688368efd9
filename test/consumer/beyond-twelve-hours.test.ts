import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { addLongWork } from '../../docs/examples/long-work/beyond-twelve-hours';
import { workFor } from '../../docs/examples/long-work/task-worker';
import { ROOT } from '../repository/source-files';

/**
 * AWS's page on the visibility timeout: extending it does not reset the 12 hours since the receive, and for work that takes
 * longer it recommends Step Functions, or smaller steps.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html#connect-wait-token
 */
describe('Work beyond twelve hours', () => {
  test('waits in Step Functions for a task token, with a heartbeat', () => {
    const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Stack');
    addLongWork(stack);
    const template = Template.fromStack(stack);
    const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
    const definition = JSON.stringify(machine?.['Properties'].DefinitionString);
    expect(definition).toContain('sqs:sendMessage.waitForTaskToken');
    expect(definition).toContain('\\"HeartbeatSeconds\\":600');
    expect(definition).toContain('\\"TimeoutSeconds\\":604800');
    expect(definition).toContain('States.HeartbeatTimeout');
    template.resourceCountIs('AWS::SQS::Queue', 6);
  });

  /** Runs a worker. Returns the calls to Step Functions in order. */
  async function callsOf(work: (body: string) => Promise<unknown>): Promise<unknown[]> {
    const calls: unknown[] = [];
    const record = (name: string) => async (input: object) => void calls.push({ name, ...input });
    const steps = {
      sendTaskHeartbeat: record('heartbeat'),
      sendTaskSuccess: record('success'),
      sendTaskFailure: record('failure'),
    };
    await workFor(steps, JSON.stringify({ token: 'token', body: 'order 1' }), work);
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
    expect(calls).toHaveLength(235);
    expect(calls.slice(-2)).toEqual([
      { name: 'heartbeat', taskToken: 'token' },
      { name: 'success', taskToken: 'token', output: '"order 1 is done"' },
    ]);
  });

  test('is reported as failed', async () => {
    expect(await callsOf(() => Promise.reject(new Error('no')))).toEqual([
      { name: 'failure', taskToken: 'token', error: 'WorkFailed', cause: 'Error: no' },
    ]);
  });

  test('is done as the guide shows it', () => {
    const guide = readFileSync(path.join(ROOT, 'docs/consumer.md'), 'utf8');
    for (const file of ['beyond-twelve-hours.ts', 'task-worker.ts']) {
      expect(guide).toContain(readFileSync(path.join(ROOT, 'docs/examples/long-work', file), 'utf8'));
    }
  });
});
