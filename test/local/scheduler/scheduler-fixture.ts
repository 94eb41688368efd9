import type { PutEventsRequest, PutEventsResponse } from '@aws-sdk/client-eventbridge';
import type { CreateScheduleInput, Target } from '@aws-sdk/client-scheduler';
import { AwsError } from '../../../local/kernel/aws-error';
import { EventBridgeScheduler, type SchedulerTraceEvent } from '../../../local/scheduler';
import { documentService, SQS_MODEL } from '../../../local/wire';
import { type Asked, InvokingFixture } from '../invoking-fixture';
import { ADMIN, START_MS } from '../service-fixture';

export { ADMIN, START_MS };

export const FUNCTION_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:Tick';
export const TOPIC_ARN = 'arn:aws:sns:us-east-1:123456789012:Ticks';
export const BUS_ARN = 'arn:aws:events:us-east-1:123456789012:event-bus/default';

const trusting = (service: string, condition?: Readonly<Record<string, unknown>>) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { Service: service },
      Action: 'sts:AssumeRole',
      ...(condition && { Condition: condition }),
    },
  ],
});

/** EventBridge Scheduler with real queues and real roles. Buses record their calls too. */
export class SchedulerFixture extends InvokingFixture<SchedulerTraceEvent> {
  readonly events: Asked<PutEventsRequest>[] = [];
  /** What buses answer. */
  eventsAnswer: PutEventsResponse = { FailedEntryCount: 0, Entries: [{ EventId: '1' }] };

  readonly scheduler = new EventBridgeScheduler(this.context('scheduler'), {
    ...this.neighbours,
    events: {
      call: (_action, caller, input) => {
        this.note(this.events, caller, input);
        return this.eventsAnswer;
      },
    },
    services: new Map([['sqs', documentService(SQS_MODEL, this.sqs)]]),
  });
  /** A role that EventBridge Scheduler may assume, and that may do everything. */
  readonly role = this.createRole('Scheduler', trusting('scheduler.amazonaws.com'), ['*']);

  createRole(roleName: string, trustPolicy: ReturnType<typeof trusting>, actions: readonly string[]): string {
    const { arn } = this.iam.createRole({ roleName, trustPolicy });
    this.iam.putRolePolicy(roleName, 'allow', {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: [...actions], Resource: '*' }],
    });
    return arn;
  }

  roleTrusting(service: string, condition?: Readonly<Record<string, unknown>>): string {
    return this.createRole(`For-${service}`, trusting(service, condition), ['*']);
  }

  queue(name: string, Attributes: Record<string, string> = {}): string {
    this.sqs.call('CreateQueue', ADMIN, { QueueName: name, Attributes });
    return `arn:aws:sqs:us-east-1:123456789012:${name}`;
  }

  /** A schedule `tick` that invokes a function, or differs from that. */
  create(
    ScheduleExpression: string,
    { Target, ...schedule }: Partial<Omit<CreateScheduleInput, 'Target'>> & { Target?: Partial<Target> } = {},
  ): string | undefined {
    return this.scheduler.call('CreateSchedule', ADMIN, {
      Name: 'tick',
      ScheduleExpression,
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: FUNCTION_ARN, RoleArn: this.role, ...Target },
      ...schedule,
    }).ScheduleArn;
  }

  /** Goes to so many minutes after the start. */
  override async goTo(minutes: number): Promise<void> {
    await this.timeline.advanceTo(START_MS + minutes * 60_000);
  }

  /** At which minutes after the start targets were invoked. */
  minutes(): readonly number[] {
    return this.happened('scheduler.invoked').map(({ atMs }) => (atMs - START_MS) / 60_000);
  }

  /** The sum of a metric for the default group. */
  total(metric: string): number {
    return this.measured
      .filter(({ name, dimensions }) => name === metric && dimensions['ScheduleGroup'] === 'default')
      .reduce((sum, { value }) => sum + value, 0);
  }
}

/** `Code status: text` of what a call is refused with. */
export function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof AwsError) return `${error.code} ${error.httpStatus}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}
