import type { Target } from '@aws-sdk/client-eventbridge';
import { EventBridge, type EventsTraceEvent } from '../../../local/events';
import { InvokingFixture } from '../invoking-fixture';
import { ADMIN, START_MS } from '../service-fixture';

export { ADMIN, START_MS };

export const TOPIC_ARN = 'arn:aws:sns:us-east-1:123456789012:Orders';
export const FUNCTION_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:Fulfil';

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

/** EventBridge with real queues and policies. */
export class EventsFixture extends InvokingFixture<EventsTraceEvent> {
  readonly written: { readonly groupName: string; readonly message: string }[] = [];
  readonly events = new EventBridge(this.context('events'), {
    ...this.neighbours,
    logs: {
      write: (_caller, groupName, _streamName, message) => {
        this.written.push({ groupName, message });
      },
    },
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
  override receive(queueArn: string) {
    return super.receive(queueArn).map(it => ({ ...it, json: JSON.parse(it.body) as unknown }));
  }

  /** The sum of a metric under one set of dimensions. */
  total(metric: string, dimensions: Readonly<Record<string, string>>): number {
    const wanted = JSON.stringify(dimensions);
    return this.measured
      .filter(it => it.namespace === 'AWS/Events' && it.name === metric && JSON.stringify(it.dimensions) === wanted)
      .reduce((sum, { value }) => sum + value, 0);
  }
}
