import type { Clock } from '../../kernel/clock';
import { resourceNotFound } from '../errors';
import { LATEST, qualified } from './function-configuration';

/**
 * How Lambda handles queued events.
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

export type RetryLimits = Required<Pick<EventInvokeConfiguration, 'maximumRetryAttempts' | 'maximumEventAgeSeconds'>>;

/** Returns the limits of a configuration, with AWS's defaults. */
export function retryLimits({
  maximumRetryAttempts = 2,
  maximumEventAgeSeconds = 21_600,
}: EventInvokeConfiguration): RetryLimits {
  return { maximumRetryAttempts, maximumEventAgeSeconds };
}

export interface PutEventInvokeConfiguration {
  /** A version or an alias. */
  readonly qualifier: string;
  readonly functionArn: string;
  readonly configuration: EventInvokeConfiguration;
  readonly lastModifiedMs: number;
}

/** The stored configurations of one function, by version or alias. */
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

  /** Returns the configuration that applies to events of a version or alias. */
  of(qualifier: string = LATEST): EventInvokeConfiguration {
    return this.byQualifier.get(qualifier)?.configuration ?? {};
  }

  get(qualifier: string = LATEST): PutEventInvokeConfiguration {
    const found = this.byQualifier.get(qualifier);
    if (found) return found;
    const arn = qualified(this.functionArn, qualifier);
    throw resourceNotFound(`The function ${arn} doesn't have an EventInvokeConfig`);
  }

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

  /** Deletes the configuration of a version or alias that has been deleted. */
  forget(qualifier: string): void {
    this.byQualifier.delete(qualifier);
  }
}
