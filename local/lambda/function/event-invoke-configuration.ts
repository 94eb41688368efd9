import type { Clock } from '../../kernel/clock';
import { resourceNotFound } from '../errors';
import { LATEST, qualified } from './function-configuration';

/**
 * What happens to events that were queued. What is not said has the default.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-configuring.html
 */
export interface EventInvokeConfiguration {
  /** 0 to 2. @default 2 */
  readonly maximumRetryAttempts?: number;
  /** 60 to 21,600. @default 21,600 */
  readonly maximumEventAgeSeconds?: number;
  readonly onSuccessArn?: string;
  readonly onFailureArn?: string;
}

/** How long, and how often, an event is tried. */
export type RetryLimits = Required<Pick<EventInvokeConfiguration, 'maximumRetryAttempts' | 'maximumEventAgeSeconds'>>;

/** The limits a configuration says, or AWS's own. */
export function retryLimits({
  maximumRetryAttempts = 2,
  maximumEventAgeSeconds = 21_600,
}: EventInvokeConfiguration): RetryLimits {
  return { maximumRetryAttempts, maximumEventAgeSeconds };
}

/** A configuration that was put, for a version or an alias. */
export interface PutEventInvokeConfiguration {
  /** A version or an alias. */
  readonly qualifier: string;
  readonly functionArn: string;
  readonly configuration: EventInvokeConfiguration;
  readonly lastModifiedMs: number;
}

/** What happens to the events of a function, by the version or alias they are for. */
export class EventInvokeConfigurations {
  private readonly byQualifier = new Map<string, PutEventInvokeConfiguration>();

  constructor(
    private readonly functionArn: string,
    private readonly clock: Clock,
  ) {}

  /** In the order in which they were put. */
  all(): readonly PutEventInvokeConfiguration[] {
    return [...this.byQualifier.values()];
  }

  /** What holds for events of a version or alias. */
  of(qualifier: string = LATEST): EventInvokeConfiguration {
    return this.byQualifier.get(qualifier)?.configuration ?? {};
  }

  /** @throws AwsError `ResourceNotFoundException` */
  get(qualifier: string = LATEST): PutEventInvokeConfiguration {
    const found = this.byQualifier.get(qualifier);
    if (found) return found;
    const arn = qualified(this.functionArn, qualifier);
    throw resourceNotFound(`The function ${arn} doesn't have an EventInvokeConfig`);
  }

  /** Replaces what there was. */
  put(qualifier: string | undefined, configuration: EventInvokeConfiguration): PutEventInvokeConfiguration {
    const version = qualifier ?? LATEST;
    const functionArn = qualified(this.functionArn, version);
    const put = { qualifier: version, functionArn, configuration, lastModifiedMs: this.clock.nowMs };
    this.byQualifier.set(version, put);
    return put;
  }

  /** @throws AwsError `ResourceNotFoundException` */
  delete(qualifier: string = LATEST): void {
    this.get(qualifier);
    this.forget(qualifier);
  }

  /** What it was for is gone. */
  forget(qualifier: string): void {
    this.byQualifier.delete(qualifier);
  }
}
