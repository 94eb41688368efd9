import type { Target } from '@aws-sdk/client-eventbridge';
import type { PublishInput } from '@aws-sdk/client-sns';
import { EventBridge, type EventsTraceEvent } from '../../../local/events';
import { Iam, type IamTraceEvent } from '../../../local/iam';
import type { AwsError } from '../../../local/kernel/aws-error';
import type { Caller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import type { EventInvocation } from '../../../local/kernel/service-call';
import { Sqs, type SqsTraceEvent } from '../../../local/sqs';
import { ADMIN, receiveFrom, ServiceFixture, START_MS } from '../service-fixture';

export { ADMIN, START_MS };

export const TOPIC_ARN = 'arn:aws:sns:us-east-1:123456789012:Orders';
export const FUNCTION_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:Fulfil';

type TraceEvent = EventsTraceEvent | IamTraceEvent | SqsTraceEvent;

/** A call to another service, and its caller. */
interface Asked<Input> {
  readonly caller: Caller;
  readonly input: Input;
}

/** A policy that lets EventBridge send to a queue on behalf of any rule. */
export const queuePolicy = (queueArn: string, condition: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: queueArn,
        ...(Object.keys(condition).length > 0 && { Condition: condition }),
      },
    ],
  });

/** EventBridge with real queues and policies. Topics, functions and logs record their calls, and fail on request. */
export class EventsFixture extends ServiceFixture<TraceEvent> {
  readonly published: Asked<PublishInput>[] = [];
  readonly invoked: Asked<EventInvocation>[] = [];
  readonly written: { readonly groupName: string; readonly message: string }[] = [];
  /** What topics and functions answer instead of doing it. */
  failure: AwsError | undefined;

  readonly iam = new Iam({
    place: EXAMPLE_PLACE,
    timeline: this.timeline,
    trace: this.trace,
    random: new Random('iam'),
  });
  readonly sqs = new Sqs(this.context('sqs'));
  readonly events = new EventBridge(this.context('events'), {
    sqs: this.sqs,
    sns: { call: (_action, caller, input) => this.note(this.published, caller, input) },
    lambda: { call: async (_action, caller, input) => this.note(this.invoked, caller, input) },
    logs: {
      write: (_caller, groupName, _streamName, message) => {
        this.written.push({ groupName, message });
      },
    },
    roles: this.iam,
  });

  /** A queue that lets EventBridge in. */
  queue(name: string): string {
    const arn = `arn:aws:sqs:us-east-1:123456789012:${name}`;
    this.sqs.call('CreateQueue', ADMIN, { QueueName: name, Attributes: { Policy: queuePolicy(arn) } });
    return arn;
  }

  /** A rule for everything from `rental`, with these targets. */
  rule(name: string, targets: readonly Omit<Target, 'Id'>[], bus?: string): string {
    const pattern = { Name: name, EventPattern: '{"source":["rental"]}', EventBusName: bus };
    const { RuleArn = '' } = this.events.call('PutRule', ADMIN, pattern);
    const Targets = targets.map((target, i) => ({ Id: `t${i + 1}`, ...target }));
    if (Targets.length > 0) this.events.call('PutTargets', ADMIN, { Rule: name, EventBusName: bus, Targets });
    return RuleArn;
  }

  /** Puts an event from `rental`, and answers its id. */
  put(detail: unknown = { order: 1 }, EventBusName?: string): string {
    const Entries = [{ Source: 'rental', DetailType: 'Order Placed', Detail: JSON.stringify(detail), EventBusName }];
    const { Entries: [result] = [] } = this.events.call('PutEvents', ADMIN, { Entries });
    return result?.EventId ?? 'not taken';
  }

  /** Receives everything a queue has, as bodies and attributes. */
  receive(queueArn: string) {
    return receiveFrom(this.sqs, this.sqs.queueByArn(queueArn)?.url).map(
      ({ Body = '', MessageAttributes = {}, Attributes = {} }) => ({
        body: Body,
        json: JSON.parse(Body) as unknown,
        groupId: Attributes.MessageGroupId,
        attributes: Object.fromEntries(
          Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]),
        ),
      }),
    );
  }

  /** The sum of a metric under one set of dimensions. */
  total(metric: string, dimensions: Readonly<Record<string, string>>): number {
    const wanted = JSON.stringify(dimensions);
    return this.measured
      .filter(it => it.namespace === 'AWS/Events' && it.name === metric && JSON.stringify(it.dimensions) === wanted)
      .reduce((sum, { value }) => sum + value, 0);
  }

  private note<Input>(notes: Asked<Input>[], caller: Caller, input: Input): void {
    notes.push({ caller, input });
    if (this.failure) throw this.failure;
  }

  private context(service: string) {
    return {
      place: EXAMPLE_PLACE,
      timeline: this.timeline,
      trace: this.trace,
      faults: this.faults,
      access: this.iam,
      keys: { decide: () => ({ allowed: true, reason: 'the test allows it' }) },
      random: new Random(service),
      metrics: this.metrics,
    };
  }
}
