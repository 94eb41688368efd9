import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  CancelMessageMoveTaskCommand,
  ListMessageMoveTasksCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterQueue,
  FunctionFailures,
  ProcessingQueue,
  Quarantine,
  Redrive,
  RedriveDestination,
  RedriveLane,
  type RedriveOptions,
} from '../../../lib';
import { Random } from '../../../local/kernel/random';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { turnSwitch } from '../../support/redrive-switch';
import type { Ledger } from '../seeds';

/** The ways of a redrive: by a task of SQS, by copying, through a retry lane, and by replaying to a function. */
const WAYS = ['task', 'copy', 'lane', 'replay'] as const;

export type Way = (typeof WAYS)[number];

/** Processes orders, and fails on poison. It gets the messages of queues, and events. */
const CONSUMER = `exports.handler = async event => {
  const orders = event.Records ? event.Records.map(({ body }) => body) : [event.order];
  for (const order of orders) {
    if (order.startsWith('poison')) throw new Error('indigestible');
    console.log('done: ' + order);
  }
};`;

const MESSAGES = 200;

/** Those that are there at the beginning. The others come during the faults. */
const AT_ONCE = 150;

const STRETCHES = 6;

/** Runs after the faults have ended. */
const LAST_RUNS = 2;

const EVERY_POISON = 23;

/** The longest that a redrive that died hides a message: until its function would have timed out. */
const HIDDEN_MINUTES = 17;

const OPTIONS: RedriveOptions = {
  enabled: true,
  steps: [{ messagesPerSecond: 5, messages: 20 }, { messagesPerSecond: 50 }],
  maxReturnedPercent: 50,
  restAfterReturn: Duration.seconds(0),
  runsPerDay: 10,
};

/** The queues of each way: dead letters, destination, and where messages end that fail again. */
const QUEUES: Readonly<Record<Way, { readonly dead: string; readonly others: readonly string[] }>> = {
  task: { dead: 'Task/DeadLetterQueue', others: ['Task'] },
  copy: { dead: 'CopyDead', others: ['Copy', 'Copy/DeadLetterQueue'] },
  lane: { dead: 'Laned/DeadLetterQueue', others: ['Laned', 'Lane/Queue', 'Lane/Quarantine'] },
  replay: { dead: 'ReplayDead', others: ['Quarantine'] },
};

function fill(stack: Stack): void {
  const queueOf = (id: string) => {
    const queue = new ProcessingQueue(stack, id, { visibilityTimeout: Duration.seconds(30), maxReceiveCount: 3 });
    const consumer = inlineFunction(stack, `${id}Consumer`, CONSUMER, { timeout: Duration.seconds(5) });
    queue.addFunctionConsumer(consumer, { batchSize: 5 });
    return queue;
  };
  const [task, copy, laned] = [queueOf('Task'), queueOf('Copy'), queueOf('Laned')];
  const lane = new RedriveLane(stack, 'Lane', { laneOf: laned });
  const handler = inlineFunction(stack, 'ReplayConsumer', CONSUMER, { timeout: Duration.seconds(5) });
  const failures = new DeadLetterQueue(stack, 'ReplayDead');
  new FunctionFailures(stack, 'Failures', { handler, deadLetterQueue: failures });
  const redrive = (id: string, deadLetterQueue: IQueue, destination: RedriveDestination, more = {}) =>
    new Redrive(stack, id, { ...OPTIONS, deadLetterQueue, destination, ...more });
  redrive('taskRedrive', task.deadLetters, RedriveDestination.queue(task));
  redrive('copyRedrive', new Queue(stack, 'CopyDead'), RedriveDestination.queue(copy), { anchor: false });
  redrive('laneRedrive', laned.deadLetters, RedriveDestination.lane(lane));
  const quarantine = new Quarantine(stack, 'Quarantine');
  redrive('replayRedrive', failures, RedriveDestination.failedEvents(handler), { quarantine });
}

/** Actions of SQS whose failures a redrive, Lambda and SQS itself must survive. */
const SQS_ACTIONS = [
  'SendMessage',
  'SendMessageBatch',
  'ReceiveMessage',
  'DeleteMessage',
  'DeleteMessageBatch',
  'ChangeMessageVisibilityBatch',
  'StartMessageMoveTask',
  'ListMessageMoveTasks',
  undefined,
] as const;

const HOW = ['exit', 'out-of-memory', 'timeout'] as const;

/** Four redrives in one account, with random faults, crashes, and an operator who interferes. */
export class RandomRedrives {
  private readonly random: Random;
  private readonly lambda: LambdaClient;
  private readonly sent = new Map<Way, string[]>(WAYS.map(way => [way, []]));
  private isOff: Way | undefined;

  private constructor(
    private readonly deployed: Deployed,
    seed: number,
  ) {
    this.random = new Random(`redrives ${seed}`);
    this.lambda = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 10 });
  }

  /** Plays one seed. Returns what became of the messages of each way. */
  static async play(seed: number): Promise<ReadonlyMap<Way, Ledger>> {
    const deployed = await Deployed.stack(fill, { seed });
    try {
      const redrives = new RandomRedrives(deployed, seed);
      await redrives.run();
      return await redrives.ledgers();
    } finally {
      await deployed.close();
    }
  }

  private async run(): Promise<void> {
    for (const way of WAYS) await this.send(way, AT_ONCE);
    await this.deployed.advance({ minutes: 1 });
    for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
      for (const way of WAYS) if (stretch > 0) await this.send(way, (MESSAGES - AT_ONCE) / (STRETCHES - 1));
      this.breakSomething();
      for (const way of WAYS) if (stretch === 0 || this.chance(0.4)) await this.invoke(way);
      await this.interfere();
      await this.deployed.advance({ minutes: this.random.integer(1, 4) });
    }
    this.deployed.aws.faults.clear();
    await this.switchOn();
    for (let run = 0; run < LAST_RUNS; run += 1) {
      for (const way of WAYS) await this.invoke(way);
      await this.deployed.advance({ minutes: 8 });
    }
    for (const way of WAYS) await turnSwitch(this.deployed, `${way}Redrive`, 'off');
    await this.deployed.advance({ minutes: HIDDEN_MINUTES });
  }

  private chance(of: number): boolean {
    return this.random.fraction() < of;
  }

  private oneOf<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = items[this.random.integer(0, items.length - 1)];
    if (item === undefined && items.length === 0) throw new Error('there is nothing to choose from');
    return item as Item;
  }

  private async send(way: Way, count: number): Promise<void> {
    const sent = this.sent.get(way) ?? [];
    const orders = Array.from({ length: count }, (_, index) => {
      const number = sent.length + index;
      return `${number % EVERY_POISON === 7 ? 'poison' : way} ${number}`;
    });
    sent.push(...orders);
    for (let from = 0; from < count; from += 10) {
      const Entries = orders.slice(from, from + 10).map((order, index) => ({
        Id: `${index}`,
        MessageBody: way === 'replay' ? JSON.stringify({ order }) : order,
      }));
      await this.patiently(() =>
        this.deployed.sqs.send(new SendMessageBatchCommand({ QueueUrl: this.deployed.ref(QUEUES[way].dead), Entries })),
      );
    }
  }

  /** Sets faults of SQS and Lambda, and interrupts functions, for a random time. */
  private breakSomething(): void {
    const { aws } = this.deployed;
    const forMs = this.random.integer(1, 150) * 1_000;
    const kinds = [{ throttle: true }, { httpStatus: 503 }, { httpStatus: 500 }, { latencyMs: 9_000 }] as const;
    if (this.chance(0.7))
      aws.faults.set({ service: 'sqs', action: this.oneOf(SQS_ACTIONS), forMs, ...this.oneOf(kinds) });
    if (this.chance(0.5)) {
      const resource = this.deployed.arn('ReplayConsumer');
      aws.faults.set({ service: 'lambda', action: 'Invoke', resource, forMs, ...this.oneOf(kinds) });
    }
    for (const way of WAYS) {
      if (!this.chance(0.5)) continue;
      const functionName = this.deployed.ref(`${way}Redrive/Function`);
      const invocation = this.random.integer(1, 3);
      aws.interruptions.set({
        functionName,
        how: this.oneOf(HOW),
        invocation,
        afterRequests: this.random.integer(1, 60),
      });
    }
    for (const id of ['TaskConsumer', 'CopyConsumer', 'LanedConsumer', 'ReplayConsumer']) {
      if (!this.chance(0.3)) continue;
      aws.interruptions.set({
        functionName: this.deployed.ref(id),
        how: this.oneOf(HOW),
        invocation: this.random.integer(1, 20),
        count: this.random.integer(1, 3),
      });
    }
  }

  /** An operator does what the runbook shows, at the wrong moment. A fault may refuse it. */
  private async interfere(): Promise<void> {
    await this.switchOn();
    const way = this.oneOf(WAYS);
    const QueueUrl = this.deployed.ref(QUEUES[way].dead);
    const SourceArn = this.deployed.arn(QUEUES[way].dead);
    const acts: readonly (() => Promise<unknown>)[] = [
      () =>
        this.deployed.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 60 })),
      () => Promise.all([this.invoke(way), this.invoke(way)]),
      async () => {
        this.isOff = way;
        await turnSwitch(this.deployed, `${way}Redrive`, 'off');
      },
      async () => {
        const { Results = [] } = await this.deployed.sqs.send(new ListMessageMoveTasksCommand({ SourceArn }));
        const TaskHandle = Results[0]?.TaskHandle;
        if (TaskHandle) await this.deployed.sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
      },
      async () => {
        const id = this.oneOf(['Task', 'Laned'] as const);
        const dead = this.deployed.arn(`${id}/DeadLetterQueue`);
        const DestinationArn = this.deployed.arn(id);
        const start = { SourceArn: dead, DestinationArn, MaxNumberOfMessagesPerSecond: this.random.integer(1, 20) };
        await this.deployed.sqs.send(new StartMessageMoveTaskCommand(start));
      },
    ];
    await this.answered(this.oneOf(acts)).catch(() => undefined);
  }

  private async switchOn(): Promise<void> {
    if (this.isOff) await turnSwitch(this.deployed, `${this.isOff}Redrive`, 'on');
    this.isOff = undefined;
  }

  private async invoke(way: Way): Promise<void> {
    const FunctionName = this.deployed.ref(`${way}Redrive/Function`);
    const Payload = JSON.stringify({ trigger: 'operator' });
    await this.lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
  }

  /** Makes a call that a fault may delay: virtual time passes until it is answered. */
  private async answered<T>(call: () => Promise<T>): Promise<T> {
    let isAnswered = false;
    const answer = call().finally(() => {
      isAnswered = true;
    });
    // The error, if there is one, is thrown when the answer is awaited.
    answer.catch(() => undefined);
    while (!isAnswered) await this.deployed.advance({ seconds: 1 });
    return answer;
  }

  /** Repeats a call that a fault may refuse, until it succeeds. */
  private async patiently<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.answered(call);
      } catch {
        await this.deployed.advance({ seconds: 10 });
      }
    }
  }

  /** Finds every message: in the log of its consumer, or in a queue. */
  private async ledgers(): Promise<ReadonlyMap<Way, Ledger>> {
    const ledgers = new Map<Way, Ledger>();
    for (const way of WAYS) {
      const { dead, others } = QUEUES[way];
      const givenUp = (await Promise.all(others.map(queue => this.drain(queue)))).flat();
      const left = [...(await this.drain(dead)), ...givenUp];
      const waiting = new Set(left.map(({ Body = '' }) => orderIn(Body)));
      const delivered = new Set(this.processed(way));
      const sent = this.sent.get(way) ?? [];
      const kept = sent.filter(order => !delivered.has(order) && waiting.has(order));
      ledgers.set(way, {
        published: sent.length,
        delivered: sent.filter(order => delivered.has(order)).length,
        deadLettered: kept.length,
        withoutReason: givenUp.filter(message => !hasReason(message)).map(({ Body = '' }) => orderIn(Body)),
        lost: sent.filter(order => !delivered.has(order) && !waiting.has(order)),
      });
    }
    return ledgers;
  }

  private processed(way: Way): readonly string[] {
    const id = { task: 'Task', copy: 'Copy', lane: 'Laned', replay: 'Replay' }[way];
    const lines = this.deployed.log(`/aws/lambda/${this.deployed.ref(`${id}Consumer`)}`);
    return lines.flatMap(line => /done: (.*)/.exec(line)?.[1]?.trim() ?? []);
  }

  private async drain(queue: string): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (;;) {
      const received = await this.deployed.receive(queue);
      if (received.length === 0) return messages;
      messages.push(...received);
    }
  }
}

/** Whether a message says why it was given up: in the words of the redrive, or by the queue that SQS moved it from. */
function hasReason({ MessageAttributes = {}, Attributes = {} }: Message): boolean {
  return MessageAttributes['QuarantineReason'] !== undefined || Attributes.DeadLetterQueueSourceArn !== undefined;
}

/** The order in a body: an event of a function, or the order itself. */
function orderIn(body: string): string {
  return body.startsWith('{') ? JSON.parse(body).order : body;
}
