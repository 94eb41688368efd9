import type { EndpointName, FleetEndpoint } from '../policy/fleet/endpoint';
import type { DisabledReason, Health } from '../policy/fleet/endpoint-health';
import type { ItemKey, ParkedItem } from '../policy/fleet/fleet-items';
import type { EnvelopedAttribute } from '../policy/messages/envelope';
import type { DynamoDbCalls, KmsCalls, SqsCalls } from './aws-calls';
import type { Machine } from './machine';

/** What a client of a fleet works with. */
export interface FleetClientOptions {
  /** `new DynamoDB()` of `@aws-sdk/client-dynamodb`. */
  readonly dynamoDb: DynamoDbCalls;

  /** `new KMS()` of `@aws-sdk/client-kms`. @default - endpoints cannot be created, and secrets not rotated */
  readonly kms?: KmsCalls;

  /** `new SQS()` of `@aws-sdk/client-sqs`. @default - events, tests and replays cannot be sent */
  readonly sqs?: SqsCalls;

  /** The settings of the fleet: the value of `FLEET_SETTINGS`. @default - the environment variable `FLEET_SETTINGS` */
  readonly settings?: string;

  /** For tests in virtual time: `{ nowMs: () => aws.nowMs }`. @default - the clock and the randomness of this machine */
  readonly machine?: Partial<Machine>;
}

/** An event to send to the endpoints of a tenant. */
export interface EventToSend {
  readonly tenant: string;
  readonly type: string;
  /** What endpoints get: a text as it is, anything else as JSON. */
  readonly data: string | object;
  /** The same for each repetition of the event. Deliveries of it have the same `webhook-id`. @default - a new one */
  readonly id?: string;
  /** For filters with the scope `MessageAttributes`. @default - none */
  readonly attributes?: Readonly<Record<string, EnvelopedAttribute>>;
}

/** An endpoint as the fleet has it. It contains no secret. */
export interface EndpointDescription extends FleetEndpoint {
  /** 1 when it is created. Each change adds 1. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly health: Health;
  /** @default - it is not disabled */
  readonly disabledReason?: DisabledReason;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** When the first of them failed. @default - the last attempt succeeded */
  readonly failingSinceMs?: number;
  /** When the next probe is due. @default - none is */
  readonly probeAtMs?: number;
  /** Until when the secret before the current one signs too. @default - it does not */
  readonly previousSecretUntilMs?: number;
}

export interface PutOptions {
  /** The version that the endpoint must have; 0 if it must not exist. @default - any */
  readonly version?: number;
  /** The signing secret of a new endpoint: `whsec_` and the key in base64. @default - a new one */
  readonly secret?: string;
}

export interface PutResult {
  readonly version: number;
  /** The signing secret of an endpoint that was created. It cannot be read again. @default - the endpoint existed */
  readonly secret?: string;
}

export interface RotateOptions {
  /** How long the old secrets sign too at most, up to 4 of them. With 0, only the new one signs. @default 86,400 */
  readonly overlapSeconds?: number;
  /** @default - a new one */
  readonly secret?: string;
}

/** The new signing secret. It cannot be read again. */
export interface RotatedSecret {
  readonly secret: string;
  readonly previousUntilMs: number;
}

/** One page of a tenant's endpoints, by name. */
export interface EndpointPage {
  readonly endpoints: readonly EndpointDescription[];
  /** The name after which the next page begins. @default - this is the last page */
  readonly after?: string;
}

export interface ListOptions {
  readonly tenant: string;
  /** 1 to 100. @default 100 */
  readonly limit?: number;
  readonly after?: string;
}

/** The attempts of a message, or the newest ones of an endpoint. */
export type AttemptQuery =
  | { readonly delivery: string }
  | (EndpointName & {
      /** @default - as long as attempts are kept */
      readonly sinceMs?: number;
      /** @default - now */
      readonly untilMs?: number;
      /** @default 100 */
      readonly limit?: number;
    });

/** A message that waits outside the queue. */
export type ParkedMessage = Omit<ParkedItem, keyof ItemKey | 'data'>;

/** Which messages to deliver again: one, or those of an endpoint, of a tenant, or of all tenants. */
export type ReplayQuery = (
  | { readonly delivery: string }
  | (Partial<EndpointName> & {
      /** Only messages of events that were sent since then. */
      readonly sinceMs: number;
      /** A filter policy of SNS, which their data must match. @default - all */
      readonly dataFilter?: Readonly<Record<string, unknown>>;
    })
) & {
  /**
   * `dead-letters` are moved back from the dead-letter queue. `log` sends messages of logged attempts again, also delivered ones: only if
   * the fleet logs bodies, and only of one message or endpoint. @default 'dead-letters'
   */
  readonly from?: 'dead-letters' | 'log';
  /** How many dead letters or logged attempts are looked at. @default 10,000 */
  readonly mostLookedAt?: number;
};

export interface Replayed {
  /** The ids of the messages that are in the deliveries queue again. */
  readonly deliveries: readonly string[];
  readonly lookedAt: number;
  /** Whether everything was looked at. */
  readonly isComplete: boolean;
}
