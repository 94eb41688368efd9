import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { buildSync } from 'esbuild';
import type { StepResult } from '../../lambda/redrive/step-runner';
import type { LocalAwsOptions } from '../../local';
import type { NowMs, Wait } from '../../mover/aws/clock';
import type { RedriveDestination } from '../../policy/redrive/redrive-settings';
import { withOptions } from '../support/assembly';
import { Deployed } from '../support/deployed';
import type { MovePassEvent } from './move-pass-function';

const folder = mkdtempSync(path.join(tmpdir(), 'dlo-move-pass-'));

const BATCH = 10;

beforeAll(() => {
  buildSync({
    entryPoints: [path.join(__dirname, 'move-pass-function.ts')],
    outfile: path.join(folder, 'index.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
  });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The queues of a move pass, and their destination. */
export interface MovePassQueues {
  readonly dead: Queue;
  readonly home: Queue;
  readonly quarantine: Queue;
}

/** What a stack has in addition to its queues and the function. */
export interface MovePassOptions {
  readonly fifo?: boolean;
  /** Encrypts each queue with its own key. */
  readonly encrypted?: boolean;
  readonly timeoutSeconds?: number;
  /** The properties of the destination queue. */
  readonly home?: QueueProps;
  readonly more?: (stack: Stack, queues: MovePassQueues, movePass: LambdaFunction) => void;
}

function fill(
  stack: Stack,
  { fifo = false, encrypted = false, timeoutSeconds = 900, home, more }: MovePassOptions,
): void {
  const queue = (id: string, props: QueueProps = {}) =>
    new Queue(stack, id, {
      ...(fifo && { fifo }),
      ...(encrypted && { encryptionMasterKey: new Key(stack, `${id}Key`) }),
      ...props,
    });
  const queues = { dead: queue('Dead'), home: queue('Home', home), quarantine: queue('Quarantine') };
  const movePass = new LambdaFunction(stack, 'MovePass', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromAsset(folder),
    timeout: Duration.seconds(timeoutSeconds),
  });
  queues.dead.grantConsumeMessages(movePass);
  queues.home.grantSendMessages(movePass);
  queues.quarantine.grantSendMessages(movePass);
  more?.(stack, queues, movePass);
}

/** Lets a function replay events to another. */
export function grantReplay(replayed: LambdaFunction, movePass: LambdaFunction): void {
  replayed.grantInvoke(movePass);
  const actions = ['lambda:GetFunctionConfiguration', 'lambda:GetFunctionEventInvokeConfig'];
  movePass.addToRolePolicy(new PolicyStatement({ actions, resources: [replayed.functionArn] }));
}

const stackOf = withOptions(fill);

/** The result of a completed move pass. */
export type MovePass = Extract<StepResult, { outcome: 'move-pass' }>;

/** Queues, and the released function that moves messages between them, in the embedded AWS. */
export class DeployedMovePass {
  private readonly lambda: LambdaClient;

  private constructor(readonly deployed: Deployed) {
    this.lambda = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
  }

  static async deploy(options: MovePassOptions = {}, local: LocalAwsOptions = {}): Promise<DeployedMovePass> {
    return new DeployedMovePass(await Deployed.stack(stackOf(options), local));
  }

  /** A queue as settings name it. */
  queue(id: string) {
    return { url: this.deployed.ref(id), arn: this.deployed.arn(id) };
  }

  /** Sends messages to the dead-letter queue, and lets an instant pass, because a run moves only messages sent before it began. */
  async deadLetterMessage(deadLetters: readonly (string | Omit<SendMessageBatchRequestEntry, 'Id'>)[]): Promise<void> {
    for (let from = 0; from < deadLetters.length; from += BATCH) {
      const Entries = deadLetters.slice(from, from + BATCH).map((deadLetter, index) => ({
        Id: String(index),
        ...(typeof deadLetter === 'string' ? { MessageBody: deadLetter } : deadLetter),
      }));
      const { Failed = [] } = await this.deployed.sqs.send(
        new SendMessageBatchCommand({ QueueUrl: this.deployed.ref('Dead'), Entries }),
      );
      if (Failed.length > 0) throw new Error(JSON.stringify(Failed));
    }
    await this.deployed.advance({ seconds: 1 });
  }

  /** Makes the function move the messages to the destination, and advances time until it has answered. */
  async copy(order: Partial<MovePassEvent> = {}): Promise<MovePass> {
    return this.run({ kind: 'queue', ...this.queue('Home') }, order);
  }

  async run(destination: RedriveDestination, order: Partial<MovePassEvent> = {}): Promise<MovePass> {
    const { error, answer } = await this.tryRun(destination, order);
    if (answer?.outcome === 'move-pass') return answer;
    throw new Error(`the pass came to ${JSON.stringify(error ?? answer)}`);
  }

  /** Returns the result, also of an interrupted pass. */
  async tryRun(
    destination: RedriveDestination,
    order: Partial<MovePassEvent> = {},
  ): Promise<{ readonly answer?: StepResult; readonly error?: string }> {
    const [deadLetters, quarantine] = [this.queue('Dead'), this.queue('Quarantine')];
    const settings = { deadLetters, destination, quarantine };
    const toMove = this.held('Dead');
    const event: MovePassEvent = { settings, messagesPerSecond: 500, messages: 100_000, toMove, ...order };
    const FunctionName = this.deployed.ref('MovePass');
    let isOver = false;
    const invoked = this.lambda
      .send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) }))
      .finally(() => {
        isOver = true;
      });
    while (!isOver) await this.deployed.advance({ seconds: 1 });
    const { FunctionError, Payload } = await invoked;
    const text = Buffer.from(Payload ?? []).toString('utf8');
    return FunctionError ? { error: text } : { answer: JSON.parse(text) };
  }

  /** Counts the messages of a queue, visible or not. */
  held(id: string): number {
    const { visible, inFlight, delayed } = this.state(id);
    return visible + inFlight + delayed;
  }

  visible(id: string): number {
    return this.state(id).visible;
  }

  /** Deletes all messages of a queue, and returns their bodies. */
  async drain(id: string): Promise<readonly string[]> {
    const bodies: string[] = [];
    for (let taken = await this.deployed.take(id); taken.length > 0; taken = await this.deployed.take(id)) {
      bodies.push(...taken);
    }
    return bodies;
  }

  /** Returns when messages arrived in a queue, in milliseconds. */
  arrivals(id: string): readonly number[] {
    const arn = this.deployed.arn(id);
    return this.deployed
      .happened('sqs.sent')
      .filter(({ queueArn }) => queueArn === arn)
      .map(({ atMs }) => atMs);
  }

  /** The metrics of the move pass, summed up by their timestamp. */
  get metrics(): Readonly<Record<number, Readonly<Record<string, number>>>> {
    const sums: Record<number, Record<string, number>> = {};
    for (const text of this.deployed.log(`/aws/lambda/${this.deployed.ref('MovePass')}`)) {
      if (!text.startsWith('{"atMs"')) continue;
      const { atMs, metrics }: { atMs: number; metrics: Record<string, number> } = JSON.parse(text);
      const before = sums[atMs] ?? {};
      const added = Object.entries(metrics).map(([name, value]) => [name, (before[name] ?? 0) + value]);
      sums[atMs] = { ...before, ...Object.fromEntries(added) };
    }
    return sums;
  }

  private state(id: string) {
    const queue = this.deployed.aws.state().queues.find(({ name }) => name === this.deployed.name(id));
    if (!queue) throw new Error(`there is no queue ${id}`);
    return queue;
  }
}

/** Returns the highest number of messages within any second. */
export function mostInASecond(atMs: readonly number[]): number {
  return Math.max(0, ...atMs.map((fromMs, index) => atMs.slice(index).filter(at => at < fromMs + 1_000).length));
}

export const deadLetters = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `letter ${index}`);

interface Waiter {
  readonly dueAtMs: number;
  readonly resolve: () => void;
}

/** Time that advances when all code waits. */
export class VirtualTime {
  private ms: number;
  private waiters: Waiter[] = [];

  constructor(startMs = 0) {
    this.ms = startMs;
  }

  readonly nowMs: NowMs = () => this.ms;

  readonly wait: Wait = milliseconds =>
    new Promise(resolve => {
      this.waiters.push({ dueAtMs: this.ms + Math.max(0, milliseconds), resolve });
    });

  /** Lets time pass until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const watched = work.finally(() => {
      isOver = true;
    });
    // The caller gets the error from the `await` below.
    watched.catch(() => {});
    for (;;) {
      await new Promise<void>(resolve => setImmediate(resolve));
      if (isOver) return watched;
      const next = this.waiters.reduce<Waiter | undefined>(
        (soonest, waiter) => (soonest && soonest.dueAtMs <= waiter.dueAtMs ? soonest : waiter),
        undefined,
      );
      if (!next) throw new Error('the work waits for nothing that comes with time');
      this.waiters = this.waiters.filter(waiter => waiter !== next);
      this.ms = Math.max(this.ms, next.dueAtMs);
      next.resolve();
    }
  }
}
