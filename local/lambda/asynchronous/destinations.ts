import { parseArn } from '../../../policy/arn';
import { putOneEvent, queueUrl } from '../../event-delivery';
import type { Caller } from '../../kernel/caller';
import { isoInstant } from '../../kernel/clock';
import { LATEST, qualified } from '../function/function-configuration';
import type { Condition, LambdaNeighbours } from '../ports';
import type { LastError, QueuedEvent } from './queued-event';

type Attributes = Readonly<Record<string, { readonly DataType: string; readonly StringValue: string }>>;

/** What an event bus is told an invocation record is. */
const DETAIL_TYPES = {
  success: 'Lambda Function Invocation Result - Success',
  failure: 'Lambda Function Invocation Result - Failure',
} as const;

/** Invokes a function with an event: Lambda itself, through its own door. */
export type InvokeFunction = (caller: Caller, functionArn: string, payload: string) => void;

/** What the post office sends to; SNS and EventBridge are built with Lambda as their neighbour in turn. */
type Neighbours = Pick<LambdaNeighbours, 'sqs' | 'sns' | 'events'>;

/** Sends what Lambda sends itself, to queues, topics, functions and event buses, as whom it is told to. */
export class DestinationSender {
  constructor(
    private readonly neighbours: Neighbours,
    private readonly invoke: InvokeFunction,
  ) {}

  /**
   * A dead letter, to a queue or a topic.
   *
   * @throws AwsError as the queue or topic answers
   */
  sendDeadLetter(targetArn: string, sender: Caller, body: string, attributes: Attributes): void {
    if (parseArn(targetArn)?.service === 'sns') this.publish(targetArn, sender, body, attributes);
    else this.sendMessage(targetArn, sender, body, attributes);
  }

  /**
   * An invocation record, to a destination.
   *
   * @throws AwsError as the destination answers
   */
  sendRecord(destinationArn: string, sender: Caller, record: DestinationRecord): void {
    switch (parseArn(destinationArn)?.service) {
      case 'lambda':
        this.invoke(sender, destinationArn, record.body);
        break;
      case 'events':
        this.putEvent(destinationArn, sender, record);
        break;
      case 'sns':
        this.publish(destinationArn, sender, record.body);
        break;
      default:
        this.sendMessage(destinationArn, sender, record.body);
    }
  }

  private publish(TopicArn: string, sender: Caller, Message: string, attributes?: Attributes): void {
    this.neighbours.sns().call('Publish', sender, { TopicArn, Message, ...messageAttributes(attributes) });
  }

  private sendMessage(queueArn: string, sender: Caller, MessageBody: string, attributes?: Attributes): void {
    const { sqs } = this.neighbours;
    const message = { QueueUrl: queueUrl(sqs, queueArn), MessageBody, ...messageAttributes(attributes) };
    sqs.call('SendMessage', sender, message);
  }

  private putEvent(busArn: string, sender: Caller, { body, isSuccess, functionArn }: DestinationRecord): void {
    const entry = {
      EventBusName: busArn,
      Source: 'lambda',
      DetailType: isSuccess ? DETAIL_TYPES.success : DETAIL_TYPES.failure,
      Detail: body,
      Resources: [functionArn, busArn],
    };
    putOneEvent(this.neighbours.events(), sender, entry);
  }
}

function messageAttributes(attributes: Attributes | undefined) {
  return attributes && { MessageAttributes: { ...attributes } };
}

/** What a destination is told. */
export type Result =
  | { readonly condition: 'Success'; readonly payload: string }
  | { readonly condition: Condition; readonly lastError: LastError };

/** The invocation record, and what an event bus is told of it besides. */
export interface DestinationRecord {
  /** JSON. */
  readonly body: string;
  readonly isSuccess: boolean;
  /** The ARN of the function, with its version or alias. */
  readonly functionArn: string;
}

/**
 * The invocation record a destination gets. The event and the answer go into it as the texts they are, however large or deep.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-async-destinations
 */
export function destinationRecord(event: QueuedEvent, result: Result, nowMs: number): DestinationRecord {
  const isSuccess = result.condition === 'Success';
  const { target, executedVersion = LATEST } = event;
  const functionArn = qualified(target.deployed.arn, target.qualifier ?? LATEST);
  const requestContext = {
    requestId: event.requestId,
    functionArn,
    condition: result.condition,
    approximateInvokeCount: event.failures + (isSuccess ? 1 : 0),
  };
  const members: Readonly<Record<string, string>> = {
    version: '"1.0"',
    timestamp: JSON.stringify(isoInstant(nowMs)),
    requestContext: JSON.stringify(requestContext),
    requestPayload: event.payload,
    ...(isSuccess
      ? { responseContext: JSON.stringify({ statusCode: 200, executedVersion }), responsePayload: result.payload }
      : failureMembers(result.lastError, executedVersion)),
  };
  const body = `{${Object.entries(members).map(([name, json]) => `"${name}":${json}`)}}`;
  return { body, isSuccess, functionArn };
}

/** A function that never ran has no response to show. */
function failureMembers({ statusCode, error }: LastError, executedVersion: string): Readonly<Record<string, string>> {
  if (statusCode !== 200) return { responseContext: JSON.stringify({ statusCode }), responsePayload: 'null' };
  const responseContext = { statusCode, executedVersion, functionError: 'Unhandled' };
  return { responseContext: JSON.stringify(responseContext), responsePayload: JSON.stringify(error) };
}
