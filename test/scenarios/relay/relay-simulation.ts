import { DeleteMessageCommand, type Message, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import {
  DurableTopic,
  HttpRelay,
  type HttpRelayOptions,
  type HttpRelayProps,
  OpsTopic,
  RelayEndpoint,
} from '../../../lib';
import { type Behaviour, type OutsideEndpoint, type Random, type ReceivedRequest, response } from '../../../local';
import type { StatusRecord } from '../../../policy/messages/delivery-status';
import { Deployed } from '../../support/deployed';
import { type RelayBooks, relayBooks } from './relay-books';

const HOST = 'partner.example.com';
const URL = `https://${HOST}/orders`;
/** The dead-letter queue of the relay. */
export const DEAD = 'Relay/Queue/DeadLetterQueue';
export const DOWN: Behaviour = { reply: response(503) };

/** A short schedule that ends soon: exactly 3 retries, one minute apart. */
export const SHORT: HttpRelayOptions = {
  retryPolicy: { numRetries: 3, minDelayTarget: Duration.minutes(1), maxDelayTarget: Duration.minutes(1) },
  jitterPercent: 0,
};

/** The parts that a scenario can extend. */
export interface RelayParts {
  readonly stack: Stack;
  readonly ops: OpsTopic;
  readonly topic: DurableTopic;
  readonly relay: HttpRelay;
}

export interface RelayWorldOptions {
  /** Scenarios have it in their title, so that a failure shows it. */
  readonly seed: number;
  /** @default - a default relay without a breaker: each message follows its own schedule */
  readonly relay?: (stack: Stack) => Partial<HttpRelayProps>;
  /** @default - nothing */
  readonly more?: (parts: RelayParts) => void;
}

/** A message that was posted. */
export interface Posted {
  readonly atSeconds: number;
  readonly atMs: number;
  readonly messageId: string;
  /** The message within the envelope. */
  readonly message: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the endpoint accepted it. */
  readonly isTaken: boolean;
  readonly status: number | undefined;
}

function fill(stack: Stack, { relay = () => ({}), more }: RelayWorldOptions): void {
  const ops = new OpsTopic(stack, 'Ops', { email: 'ops@example.com' });
  const options = relay(stack);
  const { fifo = false } = options;
  const topic = new DurableTopic(stack, 'Orders', {
    alarmActions: [ops],
    ...(fifo && { fifo, contentBasedDeduplication: true }),
  });
  const endpoint = RelayEndpoint.fromUrl(URL);
  const made = new HttpRelay(stack, 'Relay', {
    endpoint,
    alarmActions: [ops],
    circuitBreaker: { enabled: false },
    ...options,
  });
  topic.deliverToRelay('Partner', made);
  more?.({ stack, ops, topic, relay: made });
}

function postedOf(request: ReceivedRequest, secondsAt: (atMs: number) => number): Posted {
  const { atMs, headers, reply } = request;
  const body = Buffer.from(request.body).toString('utf8');
  const status = reply.kind === 'response' ? reply.status : undefined;
  return {
    atMs,
    atSeconds: secondsAt(atMs),
    messageId: headers['x-amz-sns-message-id'] ?? '',
    message: JSON.parse(body).Message,
    body,
    headers,
    status,
    isTaken: status !== undefined && status < 300,
  };
}

/** A topic, a relay, and the partner to which it posts, under virtual time. */
export class RelaySimulation {
  readonly chance: Random;
  /** The messages that were received from the relay's dead-letter queue. */
  readonly dead = new DeadLetters();

  private constructor(readonly deployed: Deployed) {
    this.chance = deployed.aws.random('relay');
  }

  static async deploy(options: RelayWorldOptions): Promise<RelaySimulation> {
    return new RelaySimulation(await Deployed.stack(stack => fill(stack, options), { seed: options.seed }));
  }

  get partner(): OutsideEndpoint {
    return this.deployed.aws.endpoint(HOST);
  }

  get functionName(): string {
    return this.deployed.ref('Relay/Function');
  }

  /** All requests that the partner received, oldest first. */
  get posted(): readonly Posted[] {
    return this.partner.requests.map(request => postedOf(request, atMs => this.deployed.secondsAt(atMs)));
  }

  /** The requests for each message, oldest first. */
  get postedByMessage(): readonly (readonly Posted[])[] {
    const byId = new Map<string, Posted[]>();
    for (const posted of this.posted) {
      const same = byId.get(posted.messageId);
      if (same) same.push(posted);
      else byId.set(posted.messageId, [posted]);
    }
    return [...byId.values()];
  }

  publish(message: string, group?: string): Promise<string> {
    return this.deployed.publish('Orders', message, group === undefined ? {} : { MessageGroupId: group });
  }

  advance(...stretch: Parameters<Deployed['advance']>): Promise<number> {
    return this.deployed.advance(...stretch);
  }

  /** How many messages the relay's queue has. */
  get queued(): number {
    const queue = this.deployed.aws.state().queues.find(({ arn }) => arn === this.deployed.arn('Relay/Queue'));
    if (!queue) throw new Error('the relay has no queue');
    return queue.visible + queue.inFlight + queue.delayed;
  }

  /** The relay's record of each attempt. */
  get attempts(): readonly StatusRecord[] {
    const lines = this.deployed.log(this.deployed.ref('Relay/Log')).filter(line => line.startsWith('{"notification"'));
    return lines.map((line): StatusRecord => JSON.parse(line));
  }

  /** A metric of the relay, summed over everything so far. */
  metric(name: string): Promise<number> {
    return this.deployed.sum('DeadLetterOffice/Relay', name, { FunctionName: this.functionName });
  }

  /** Receives all messages of the dead-letter queue, and keeps them. */
  async collectDead(): Promise<DeadLetters> {
    const { sqs } = this.deployed;
    const receive = (): Promise<readonly Message[]> => this.deployed.receive(DEAD);
    for (let messages = await receive(); messages.length > 0; messages = await receive()) {
      for (const message of messages) {
        this.dead.add(message);
        const { ReceiptHandle } = message;
        await sqs.send(new DeleteMessageCommand({ QueueUrl: this.deployed.ref(DEAD), ReceiptHandle }));
      }
    }
    return this.dead;
  }

  /** Moves the messages of a dead-letter queue to the relay's queue, as an operator would. */
  async moveBack(from = DEAD): Promise<void> {
    const { deployed } = this;
    const [SourceArn, DestinationArn] = [deployed.arn(from), deployed.arn('Relay/Queue')];
    await deployed.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
  }

  /** Returns what has happened to every message so far. */
  async books(): Promise<RelayBooks> {
    const { deployed, posted } = this;
    const dead = (await this.collectDead()).causes;
    const places = { topicArn: deployed.ref('Orders'), queueArn: deployed.arn('Relay/Queue') };
    return relayBooks(
      deployed.aws.trace.events,
      places,
      posted.filter(it => it.isTaken),
      dead,
    );
  }
}

/** A dead letter of a relay. */
export interface DeadLetter {
  /** Of SNS. */
  readonly messageId: string;
  readonly message: string;
  /** Why the relay gave it up, or `moved-by-sqs` if SQS moved it. */
  readonly cause: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly receiveCount: number;
}

export const MOVED_BY_SQS = 'moved-by-sqs';

/** The dead letters of a relay, by message. */
export class DeadLetters {
  private readonly messages: DeadLetter[] = [];

  add({ Body = '', MessageAttributes = {}, Attributes = {} }: Message): void {
    const { MessageId: messageId, Message: message } = JSON.parse(Body);
    const attributes = Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]),
    );
    const cause = attributes['DeadLetterCause'] ?? MOVED_BY_SQS;
    const receiveCount = Number(Attributes.ApproximateReceiveCount);
    this.messages.push({ messageId, message, cause, attributes, receiveCount });
  }

  get all(): readonly DeadLetter[] {
    return this.messages;
  }

  /** The cause for each message. */
  get causes(): ReadonlyMap<string, string> {
    return new Map(this.messages.map(({ messageId, cause }) => [messageId, cause]));
  }
}

/** Returns the position of a message: its last word, such as 7 in `order 7`. */
export function numberOf(message: string): number {
  return Number(message.split(' ').at(-1));
}

/** Returns messages that the endpoint first accepted after a later one of their group. Repetitions do not count. */
export function overtaken(posted: readonly Posted[], groupOf: (message: string) => string): readonly string[] {
  const firsts = new Set(posted.filter(({ isTaken }) => isTaken).map(({ message }) => message));
  const latest = new Map<string, number>();
  return [...firsts].filter(message => {
    const [group, number] = [groupOf(message), numberOf(message)];
    const before = latest.get(group) ?? -1;
    latest.set(group, Math.max(before, number));
    return number < before;
  });
}
