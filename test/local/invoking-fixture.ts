import type { PublishInput } from '@aws-sdk/client-sns';
import { Iam, type IamTraceEvent } from '../../local/iam';
import type { AwsError } from '../../local/kernel/aws-error';
import type { Caller } from '../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../local/kernel/place';
import { Random } from '../../local/kernel/random';
import type { EventInvocation } from '../../local/kernel/service-call';
import type { TraceEvent } from '../../local/kernel/trace';
import { Sqs, type SqsTraceEvent } from '../../local/sqs';
import { receiveFrom, ServiceFixture } from './service-fixture';

/** A call to another service, and its caller. */
export interface Asked<Input> {
  readonly caller: Caller;
  readonly input: Input;
}

/** What a service that invokes targets is given: real queues and policies. Topics and functions record their calls, and fail on request. */
export abstract class InvokingFixture<Event extends TraceEvent> extends ServiceFixture<
  Event | IamTraceEvent | SqsTraceEvent
> {
  readonly published: Asked<PublishInput>[] = [];
  readonly invoked: Asked<EventInvocation>[] = [];
  /** What topics and functions answer instead of doing it. */
  failure: AwsError | undefined;

  readonly iam = new Iam({
    place: EXAMPLE_PLACE,
    timeline: this.timeline,
    trace: this.trace,
    random: new Random('iam'),
  });
  readonly sqs = new Sqs(this.context('sqs'));
  protected readonly neighbours = {
    sqs: this.sqs,
    sns: {
      call: (_action: 'Publish', caller: Caller, input: PublishInput) => this.note(this.published, caller, input),
    },
    lambda: {
      call: async (_action: 'Invoke', caller: Caller, input: EventInvocation) => this.note(this.invoked, caller, input),
    },
    roles: this.iam,
  };

  /** Receives everything a queue has, as bodies and attributes. */
  receive(queueArn: string) {
    return receiveFrom(this.sqs, this.sqs.queueByArn(queueArn)?.url).map(
      ({ Body = '', MessageAttributes = {}, Attributes = {} }) => ({
        body: Body,
        groupId: Attributes.MessageGroupId,
        attributes: Object.fromEntries(
          Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]),
        ),
      }),
    );
  }

  protected note<Input>(notes: Asked<Input>[], caller: Caller, input: Input): void {
    notes.push({ caller, input });
    if (this.failure) throw this.failure;
  }

  protected context(service: string) {
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
