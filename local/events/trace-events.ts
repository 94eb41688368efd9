import type { ExhaustedRetryCondition, TargetErrorCode } from '../event-delivery';
import type { Refused, ServiceContext } from '../kernel/service-api';

interface OfEvent {
  readonly eventId: string;
}

interface OfRule {
  readonly ruleArn: string;
}

interface OfInvocation extends OfEvent, OfRule {
  readonly targetId: string;
  readonly targetArn: string;
}

/** What EventBridge writes into the trace: names, never what events hold. */
export type EventsTraceEvent =
  | { readonly type: 'events.bus-created' | 'events.bus-deleted'; readonly eventBusArn: string }
  | (OfRule & { readonly type: 'events.rule-put'; readonly state: string })
  | (OfRule & { readonly type: 'events.rule-deleted' | 'events.rule-enabled' | 'events.rule-disabled' })
  | (OfRule & { readonly type: 'events.targets-put' | 'events.targets-removed'; readonly targetIds: readonly string[] })
  /** A bus has an event; a name of no bus has it as well, and nobody gets it. */
  | (OfEvent & {
      readonly type: 'events.received';
      readonly eventBusArn: string;
      readonly source: string;
      readonly detailType: string;
      readonly matchedRules: number;
    })
  | (OfEvent & OfRule & { readonly type: 'events.rule-triggered' })
  /** The event has been through this rule before, by way of another bus. */
  | (OfEvent & OfRule & { readonly type: 'events.loop-stopped' })
  | (OfInvocation & { readonly type: 'events.invoked'; readonly attempt: number })
  | (OfInvocation & {
      readonly type: 'events.invocation-failed';
      readonly attempt: number;
      readonly errorCode: TargetErrorCode;
      /** What the target said. */
      readonly code: string;
      readonly reason: string;
      /** Undefined for the last attempt. */
      readonly nextAttemptAtMs?: number;
    })
  | (OfInvocation & {
      readonly type: 'events.dead-lettered';
      readonly deadLetterQueueArn: string;
      readonly errorCode: TargetErrorCode;
      readonly exhaustedRetryCondition?: ExhaustedRetryCondition;
    })
  /** The event is lost to this target: there is no dead-letter queue, or it did not take the event. */
  | (OfInvocation & { readonly type: 'events.dropped'; readonly errorCode: TargetErrorCode; readonly reason: string })
  | Refused<'events'>;

export type EventsContext = ServiceContext<EventsTraceEvent>;
