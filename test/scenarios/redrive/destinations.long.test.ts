import { GetPolicyCommand, InvokeCommand, LambdaClient, RemovePermissionCommand } from '@aws-sdk/client-lambda';
import { CreateQueueCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { CfnParameter, Duration, type Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterAccess,
  DurableTopic,
  FunctionFailures,
  HttpRelay,
  ImportedDeadLetterQueue,
  OpsTopic,
  ProcessingQueue,
  Quarantine,
  Redrive,
  RedriveDestination,
  RelayEndpoint,
} from '../../../lib';
import { response } from '../../../local';
import { DeployedRedrive } from '../../lambda/redrive/redrive-fixture';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { closedBooks, redriveBooks } from './redrive-books';
import { DEAD, DOWN, mostWithin, RedriveSimulation } from './redrive-simulation';

describe('kinds', () => {
  const MAILBOX = 'ops@example.com';
  const BACKEND = 'backend.example.com';
  const PARTNER = 'partner.example.com';

  /** Posts each message to the backend, by its kind. Fails on poison. */
  const consumerOf = (id: string): string => `exports.handler = async event => {
  const bodies = event.Records ? event.Records.map(it => it.body ?? it.Sns.Message) : [event.body];
  for (const text of bodies) {
    const body = text.startsWith('{') ? JSON.parse(text).Message : text;
    if (body.startsWith('poison')) throw new Error('indigestible');
    const { status } = await fetch('https://${BACKEND}/${id}', { method: 'POST', body });
    if (status >= 300) throw new Error('the backend answered ' + status);
  }
};`;

  const MESSAGES = 20;

  /** The poison message: one, as many as a canary of five may contain. */
  const POISON = 7;

  const STEPS = [{ messagesPerSecond: 1, messages: 5 }, { messagesPerSecond: 10 }];

  function everyKind(stack: Stack): void {
    const ops = new OpsTopic(stack, 'Ops', { email: MAILBOX });
    const alarmActions = [ops];
    const options = {
      enabled: true,
      messagesPerDay: 1_000,
      alarmActions,
      resultsTopic: ops,
      steps: STEPS,
      settle: Duration.minutes(3),
    };
    const consumed = (id: string, fifo = false) => {
      const queue = new ProcessingQueue(stack, id, {
        alarmActions,
        visibilityTimeout: Duration.seconds(30),
        maxReceiveCount: 3,
        ...(fifo && { fifo, contentBasedDeduplication: true }),
      });
      const of = id === 'Home' ? 'Imported' : id;
      const consumer = inlineFunction(stack, `${id}Consumer`, consumerOf(of), { timeout: Duration.seconds(5) });
      queue.addFunctionConsumer(consumer, { batchSize: 1 });
      return queue;
    };
    const redrive = (
      id: string,
      deadLetterQueue: Redrive['deadLetterQueue'],
      destination: RedriveDestination,
      more = {},
    ) => new Redrive(stack, id, { ...options, deadLetterQueue, destination, ...more });

    const orders = consumed('Orders');
    redrive('OrdersRedrive', orders.deadLetters, RedriveDestination.queue(orders));
    const fifo = consumed('Fifo', true);
    redrive('FifoRedrive', fifo.deadLetters, RedriveDestination.queue(fifo), { allowFifo: true });

    const topic = new DurableTopic(stack, 'Topic', { alarmActions });
    const subscribed = topic.deliverToQueue('Subscribed', consumed('Subscribed'));
    redrive('SubscribedRedrive', subscribed.deadLetterQueue, RedriveDestination.subscriber(subscribed));
    const subscriber = inlineFunction(stack, 'Subscriber', consumerOf('Subscriber'), { timeout: Duration.seconds(5) });
    new FunctionFailures(stack, 'SubscriberFailures', { handler: subscriber, alarmActions });
    const delivery = topic.deliverToFunction('Subscriber', subscriber);
    redrive('SubscriberRedrive', delivery.deadLetterQueue, RedriveDestination.subscriber(delivery));
    const relay = new HttpRelay(stack, 'Relay', {
      endpoint: RelayEndpoint.fromUrl(`https://${PARTNER}/`),
      alarmActions,
    });
    const { deadLetterQueue } = topic.deliverToEndpoint('Partner', `https://${PARTNER}/`);
    redrive('PartnerRedrive', deadLetterQueue, RedriveDestination.relay(relay));

    const handler = inlineFunction(stack, 'Handler', consumerOf('Handler'), { timeout: Duration.seconds(5) });
    const failures = new FunctionFailures(stack, 'Failures', { handler, alarmActions });
    const quarantine = new Quarantine(stack, 'Quarantine', { alarmActions });
    redrive('HandlerRedrive', failures.deadLetterQueue, RedriveDestination.failedEvents(handler), { quarantine });

    // An imported queue that several senders feed. No queue names it as its dead-letter queue, and no anchor is created.
    const elsewhere = new Queue(stack, 'Elsewhere');
    const imported = new ImportedDeadLetterQueue(stack, 'Imported', {
      queue: Queue.fromQueueArn(stack, 'ElsewhereByArn', elsewhere.queueArn),
      access: DeadLetterAccess.GRANTED_ELSEWHERE,
      alarmActions,
    });
    const home = consumed('Home');
    redrive('ImportedRedrive', imported, RedriveDestination.queue(home), { anchor: false });
  }

  /** Returns the messages of a kind. Each subscriber of a topic gets the same. */
  const messagesOf = (kind: string): readonly string[] =>
    Array.from({ length: MESSAGES }, (_, index) => `${index === POISON ? 'poison' : kind} ${index}`);

  const groupOf = (index: number): string => `customer-${index % 3}`;

  /** Each kind: its messages, its dead-letter queue, the queue for repeated failures, its redrive, and how it moves them. */
  const KINDS = [
    { title: 'a queue', id: 'Orders', sent: 'queue', dead: 'Orders/DeadLetterQueue', by: 'tasks' },
    { title: 'a FIFO queue', id: 'Fifo', sent: 'fifo', dead: 'Fifo/DeadLetterQueue', by: 'tasks' },
    {
      title: 'a subscription of a queue, which have an anchor,',
      id: 'Subscribed',
      sent: 'topic',
      dead: 'Topic/Deliveries/Subscribed/DeadLetterQueue',
      again: 'Subscribed/DeadLetterQueue',
      by: 'tasks',
    },
    {
      title: 'a subscription of a function',
      id: 'Subscriber',
      sent: 'topic',
      dead: 'Topic/Deliveries/Subscriber/DeadLetterQueue',
      by: 'move passes',
    },
    {
      title: 'a function, with a quarantine,',
      id: 'Handler',
      sent: 'handler',
      dead: 'Failures/DeadLetterQueue',
      again: 'Quarantine',
      by: 'move passes',
    },
    {
      title: 'an imported queue, which have no anchor,',
      id: 'Imported',
      sent: 'imported',
      dead: 'Elsewhere',
      again: 'Home/DeadLetterQueue',
      by: 'move passes',
    },
  ] as const;

  const PARTNER_DEAD = 'Topic/Deliveries/Partner/DeadLetterQueue';

  async function sendAll(deployed: Deployed, queue: string, kind: string): Promise<void> {
    const bodies = messagesOf(kind);
    for (let from = 0; from < bodies.length; from += 10) {
      const Entries = bodies.slice(from, from + 10).map((MessageBody, index) => ({
        Id: `${index}`,
        MessageBody,
        ...(kind === 'fifo' && { MessageGroupId: groupOf(from + index), MessageDeduplicationId: `${from + index}` }),
      }));
      const batch = new SendMessageBatchCommand({ QueueUrl: deployed.ref(queue), Entries });
      expect((await deployed.sqs.send(batch)).Successful).toHaveLength(Entries.length);
    }
  }

  /** Makes all deliveries and all consumers fail. */
  async function breakAll(deployed: Deployed): Promise<void> {
    const { aws } = deployed;
    aws.confirmSubscription(MAILBOX);
    await deployed.advance({ seconds: 10 });
    aws.services.sns.confirm(`https://${PARTNER}/`);
    aws.endpoint(PARTNER).behave({ reply: response(403) });
    aws.endpoint(BACKEND).behave({ reply: response(503) });
    await deployed.takeQueuePolicyAway('Subscribed');
    const lambda = new LambdaClient(aws.clientConfig());
    const FunctionName = deployed.ref('Subscriber');
    const { Policy = '{}' } = await lambda.send(new GetPolicyCommand({ FunctionName }));
    const { Statement }: { Statement: { Sid: string }[] } = JSON.parse(Policy);
    for (const { Sid } of Statement) await lambda.send(new RemovePermissionCommand({ FunctionName, StatementId: Sid }));
  }

  /** Sends messages that become dead letters, or sends them to the dead-letter queues directly. */
  async function sendEverywhere(deployed: Deployed): Promise<void> {
    await sendAll(deployed, 'Orders', 'queue');
    await sendAll(deployed, 'Fifo/DeadLetterQueue', 'fifo');
    await sendAll(deployed, 'Elsewhere', 'imported');
    for (const message of messagesOf('topic')) await deployed.publish('Topic', message);
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const FunctionName = deployed.ref('Handler');
    for (const body of messagesOf('handler')) {
      const Payload = Buffer.from(JSON.stringify({ body }));
      await lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
    }
  }

  /** Returns the text of a message, whatever wraps it. */
  function textOf(message: string): string {
    if (!message.startsWith('{')) return message;
    const { Message, body, Records } = JSON.parse(message);
    return Message ?? body ?? Records[0].Sns.Message;
  }

  describe('Each at a time when all the others are redriven too, the dead letters of', () => {
    let deployed: Deployed;

    beforeAll(async () => {
      deployed = await Deployed.stack(everyKind, { seed: 71 });
      await breakAll(deployed);
      await sendEverywhere(deployed);
      await deployed.advance({ minutes: 6 });
      for (const { dead, id } of KINDS) expect([id, redriveOf(id, dead).dead]).toEqual([id, MESSAGES]);
      deployed.aws.endpoint(PARTNER).behave();
      deployed.aws.endpoint(BACKEND).behave();
      // Two triggers ask for a run of each redrive at the same instant.
      for (const { id, dead } of [...KINDS, { id: 'Partner', dead: PARTNER_DEAD }]) {
        const redrive = redriveOf(id, dead);
        await Promise.all([redrive.invoke('operator'), redrive.invoke('schedule')]);
      }
      await deployed.advance({ minutes: 15 });
    });

    const redriveOf = (id: string, dead: string) => new DeployedRedrive(deployed, dead, `${id}Redrive`);

    /** Returns the requests that a host outside AWS accepted. */
    function taken(host: string, path: string): readonly string[] {
      const { requests } = deployed.aws.endpoint(host);
      const good = requests.filter(it => it.path === path && it.reply.kind === 'response' && it.reply.status < 300);
      return good.map(({ body }) => Buffer.from(body).toString());
    }

    async function lying(...paths: readonly string[]): Promise<readonly string[]> {
      const texts: string[] = [];
      for (const path of paths) {
        for (let some = await deployed.take(path); some.length > 0; some = await deployed.take(path)) {
          texts.push(...some.map(textOf));
        }
      }
      return texts;
    }

    test.each(KINDS)('$title go home by $by, and what fails again lies where it should', async kind => {
      const { id, sent, dead, by } = kind;
      const redrive = redriveOf(id, dead);
      const again = 'again' in kind ? kind.again : dead;
      const processed = taken(BACKEND, `/${id}`);
      const found = { processed, dead: await lying(again), quarantined: again === dead ? [] : await lying(dead) };
      expect(redriveBooks(messagesOf(sent), found)).toEqual(closedBooks(MESSAGES - 1, { dead: 1 }));
      const movePasses = redrive.records.flatMap(({ movePass }) => movePass?.moved ?? []).filter(moved => moved > 0);
      expect(movePasses).toEqual(by === 'move passes' ? [5, MESSAGES - 5] : []);
      expect(redrive.mails).toContain(`Moved ${MESSAGES} dead letters: Test/${id}Redrive`);
      expect(deployed.alarmed(`${id}Redrive/StoppedAlarm`)).toEqual([]);
      expect(await redrive.errors()).toBe(0);
    });

    test('a FIFO queue come in the order of their groups', () => {
      const processed = taken(BACKEND, '/Fifo');
      for (const group of [0, 1, 2]) {
        const ofGroup = messagesOf('fifo').filter((body, index) => index % 3 === group && !body.startsWith('poison'));
        expect(processed.filter(body => ofGroup.includes(body))).toEqual(ofGroup);
      }
    });

    test('a subscription of an endpoint go to the relay, which delivers each', async () => {
      // The first request was the subscription confirmation.
      const [, ...processed] = taken(PARTNER, '/').map(textOf);
      const dead = await lying(PARTNER_DEAD, 'Relay/Queue/DeadLetterQueue');
      expect(redriveBooks(messagesOf('topic'), { processed, dead })).toEqual(closedBooks(MESSAGES));
    });
  });
});

const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 5 }];

/** Asks for a run as an operator, and returns its immediate result. */
async function askedFor({ redrive, deployed }: RedriveSimulation) {
  await redrive.invoke('operator');
  await deployed.advance({ seconds: 10 });
  const { did, cause, outcome, failure } = redrive.records.at(-1) ?? {};
  return { did, cause: cause ?? outcome, ...(failure !== undefined && { failure }) };
}

test.each([
  {
    what: 'of another type',
    seed: 81,
    name: '123456789012:other.fifo',
    comes: {
      did: 'start',
      cause: 'refused',
      failure:
        'StartMessageMoveTask: InvalidParameterValue: The source queue and destination queue must be of the same queue type.',
    },
    // The function fails, and Lambda retries it twice. An alarm reports that.
    reported: 1,
  },
  {
    what: 'of another account',
    seed: 82,
    name: '999999999999:other',
    comes: { did: 'leave', cause: 'no-destination' },
    reported: 0,
  },
])(
  'A destination that only turns out to be wrong when it is there $what is left alone, and so are the messages (seed $seed)',
  async ({ seed, name, comes, reported }) => {
    const world = await RedriveSimulation.deploy({
      seed,
      places: [{ account: '999999999999' }],
      redrive: ({ stack }) => {
        const { valueAsString: queueArn } = new CfnParameter(stack, 'Destination', {
          default: `arn:aws:sqs:us-east-1:${name}`,
        });
        return { destination: RedriveDestination.queue(Queue.fromQueueAttributes(stack, 'Other', { queueArn })) };
      },
    });
    const { deployed, redrive } = world;
    const Attributes = { FifoQueue: 'true' };
    await deployed.sqs.send(new CreateQueueCommand({ QueueName: 'other.fifo', Attributes }));
    await world.send(20, { to: DEAD });
    expect(await askedFor(world)).toEqual(comes);
    await world.advance({ minutes: 6 });
    expect(deployed.alarmed('Redrive/ErrorsAlarm')).toHaveLength(reported);
    expect(redrive.tasks).toEqual([]);
    expect(await world.books()).toEqual(closedBooks(0, { dead: 20 }));
  },
);

describe('A run', () => {
  test('whose task fails half way is over and told once, and the next goes on with what is left (seed 83)', async () => {
    const world = await RedriveSimulation.deploy({ seed: 83, redrive: () => ({ steps: STEPS }) });
    const { redrive } = world;
    await world.send(200, { to: DEAD });
    await redrive.invoke('operator');
    await world.advance({ minutes: 7, seconds: 10 });
    await redrive.deny('sqs:SendMessage');
    await world.advance({ minutes: 8 });
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '5/s FAILED 51']);
    expect(redrive.records.at(-1)).toMatchObject({ did: 'stop', cause: 'task-failed', level: 'WARN' });
    expect(redrive.records.at(-1)?.reason).toBe('the move failed: AccessDenied');
    expect([redrive.dead, world.reported(/StoppedAlarm/).length]).toEqual([200 - 63 - 51, 1]);
    await redrive.deny();
    await redrive.invoke('operator');
    await world.advance({ minutes: 14 });
    expect(redrive.tasks.slice(2)).toEqual(['1/s CANCELLED 53', '5/s COMPLETED 33']);
    expect(world.reported(/StoppedAlarm|Moved \d/)).toHaveLength(2);
    expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([2, 1, 1]);
    expect(await world.books()).toEqual(closedBooks(200));
  });

  test('of a queue that refills as fast as it drains is cancelled, and told once (seed 84)', async () => {
    const world = await RedriveSimulation.deploy({ seed: 84, redrive: () => ({ steps: [{ messagesPerSecond: 1 }] }) });
    const { redrive, warehouse } = world;
    warehouse.behave(DOWN);
    // A message that is received three times is back after 90 s, so the task would never end.
    await world.send(100, { to: DEAD });
    await redrive.invoke('operator');
    await world.advance({ minutes: 13 });
    expect(redrive.tasks).toEqual(['1/s CANCELLED 303']);
    expect(redrive.records.find(({ did }) => did === 'cancel')).toMatchObject({
      cause: 'returned',
      outcome: 'done',
    });
    expect(redrive.records.at(-1)).toMatchObject({ did: 'stop', cause: 'returned' });
    expect(mostWithin(world.movedAtMs, 1_000)).toBe(1);
    expect(world.reported(/StoppedAlarm/)).toHaveLength(1);
    expect(await redrive.counts('RunsStopped', 'Moved')).toEqual([1, 303]);
    expect(await world.books()).toEqual(closedBooks(0, { dead: 100 }));
  });

  test('for which metrics are not there when its canary has settled waits for them, and people hear of the function (seed 86)', async () => {
    const world = await RedriveSimulation.deploy({ seed: 86, redrive: () => ({ steps: STEPS }) });
    const { deployed, redrive } = world;
    await world.send(80, { to: DEAD });
    await redrive.invoke('operator');
    await world.advance({ minutes: 2 });
    deployed.aws.faults.set({ service: 'cloudwatch', action: 'GetMetricData', forMs: 490_000 });
    await world.advance({ minutes: 8 });
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63']);
    expect(redrive.records.at(-1)).toMatchObject({ did: 'wait', level: 'ERROR' });
    expect(redrive.records.at(-1)?.unread?.[0]).toContain('GetMetricData: ServiceUnavailable');
    expect(deployed.alarmed('Redrive/ErrorsAlarm')).toHaveLength(1);
    await world.advance({ minutes: 8 });
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '5/s COMPLETED 17']);
    expect(world.reported(/StoppedAlarm|Moved \d/)).toEqual(['Moved 80 dead letters: Test/Redrive']);
    expect(await world.books()).toEqual(closedBooks(80));
  });
});
