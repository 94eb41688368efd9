import { parseArn } from '../../../policy/arn';
import { putOneEvent, queueUrl } from '../../event-delivery/targets';
import type { Caller } from '../../kernel/caller';
import { isoInstant } from '../../kernel/clock';
import { LATEST, qualified } from '../function/function-configuration';
import type { LambdaDependencies } from '../ports';
import type { Condition } from '../trace-events';
import type { LastError, QueuedEvent } from './queued-event';

type Attributes = Readonly<Record<string, { readonly DataType: string; readonly StringValue: string }>>;

/** The detail type of the event that an event bus receives. */
const DETAIL_TYPES = {
  success: 'Lambda Function Invocation Result - Success',
  failure: 'Lambda Function Invocation Result - Failure',
} as const;

/** Invokes a function asynchronously, as any other caller would. */
type InvokeFunction = (caller: Caller, functionArn: string, payload: string) => void;

/**
 * The services it sends to. SNS and EventBridge are functions, because they are constructed with Lambda as one of their
 * services.
 */
type Dependencies = Pick<LambdaDependencies, 'sqs' | 'sns' | 'events'>;

/**
 * Sends what Lambda itself sends, as a given caller, to queues, topics, functions and event buses.
 * **Assumption LAMBDA-20:** Queues, topics and buses may be in other accounts and Regions, as far as both sides' policies
 * allow. A function as a destination is in the same account and Region.
 */
export class DestinationSender {
  constructor(
    private readonly dependencies: Dependencies,
    private readonly invoke: InvokeFunction,
  ) {}

  /**
   * Sends a dead-letter message to a queue or a topic.
   *
   * @throws AwsError that the queue or the topic answers with
   */
  sendDeadLetter(targetArn: string, sender: Caller, body: string, attributes: Attributes): void {
    if (parseArn(targetArn)?.service === 'sns') this.publish(targetArn, sender, body, attributes);
    else this.sendMessage(targetArn, sender, body, attributes);
  }

  /**
   * Sends an invocation record to a destination.
   *
   * @throws AwsError that the destination answers with
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
    this.dependencies.sns().call('Publish', sender, { TopicArn, Message, ...messageAttributes(attributes) });
  }

  private sendMessage(queueArn: string, sender: Caller, MessageBody: string, attributes?: Attributes): void {
    const { sqs } = this.dependencies;
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
    putOneEvent(this.dependencies.events(), sender, entry);
  }
}

function messageAttributes(attributes: Attributes | undefined) {
  return attributes && { MessageAttributes: { ...attributes } };
}

/** The outcome that an invocation record reports. */
export type Result =
  | { readonly condition: 'Success'; readonly payload: string }
  | { readonly condition: Condition; readonly lastError: LastError };

/** An invocation record, with the members that an event bus needs in addition. */
interface DestinationRecord {
  /** A JSON document. */
  readonly body: string;
  readonly isSuccess: boolean;
  /** The ARN of the function, with its version or alias. */
  readonly functionArn: string;
}

/**
 * Builds the invocation record for a destination. It embeds the event and the response as text, because parsing them
 * could fail for large or deeply nested documents.
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

/** A function that never ran has no response. */
function failureMembers({ statusCode, error }: LastError, executedVersion: string): Readonly<Record<string, string>> {
  if (statusCode !== 200) return { responseContext: JSON.stringify({ statusCode }), responsePayload: 'null' };
  const responseContext = { statusCode, executedVersion, functionError: 'Unhandled' };
  return { responseContext: JSON.stringify(responseContext), responsePayload: JSON.stringify(error) };
}
