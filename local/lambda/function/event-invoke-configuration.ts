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
