import { parseArn } from '../../../policy/arn';
import { putOneEvent, queueUrl } from '../../event-delivery';
import type { Caller } from '../../kernel/caller';
import type { LambdaNeighbours } from '../ports';
import type { DestinationRecord } from './destination-record';

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
