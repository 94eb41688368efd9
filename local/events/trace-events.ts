import type { ExhaustedRetryCondition } from '../event-delivery/delivery';
import type { TargetErrorCode } from '../event-delivery/targets';
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

/** The trace events of EventBridge. They hold names, never the content of events. */
export type EventsTraceEvent =
  | { readonly type: 'events.bus-created' | 'events.bus-deleted'; readonly eventBusArn: string }
  | (OfRule & { readonly type: 'events.rule-put'; readonly state: string })
  | (OfRule & { readonly type: 'events.rule-deleted' | 'events.rule-enabled' | 'events.rule-disabled' })
  | (OfRule & { readonly type: 'events.targets-put' | 'events.targets-removed'; readonly targetIds: readonly string[] })
  /** An event was put on a bus. The bus need not exist: then the event is lost. */
  | (OfEvent & {
      readonly type: 'events.received';
      readonly eventBusArn: string;
      readonly source: string;
      readonly detailType: string;
      readonly matchedRules: number;
    })
  | (OfEvent & OfRule & { readonly type: 'events.rule-triggered' })
  /** The event has already passed this rule, by way of another bus. */
  | (OfEvent & OfRule & { readonly type: 'events.loop-stopped' })
  /** EventBridge does not send an event on that came from another bus. */
  | (OfInvocation & { readonly type: 'events.not-sent-on'; readonly reason: string })
  | (OfInvocation & { readonly type: 'events.invoked'; readonly attempt: number })
  | (OfInvocation & {
      readonly type: 'events.invocation-failed';
      readonly attempt: number;
      readonly errorCode: TargetErrorCode;
      /** The error of the target. */
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
  /** The event is lost for this target: there is no dead-letter queue, or it did not accept the event. */
  | (OfInvocation & { readonly type: 'events.dropped'; readonly errorCode: TargetErrorCode; readonly reason: string })
  | Refused<'events'>;

export type EventsContext = ServiceContext<EventsTraceEvent>;
