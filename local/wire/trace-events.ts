interface OtherServiceCall {
  /** The service as in host names, for example `dynamodb`. */
  readonly service: string;
  /** The API action, if it is known. */
  readonly action?: string;
  /** The function that called. @default - a client outside AWS */
  readonly functionArn?: string;
}

/** Events between clients and services. */
export type WireTraceEvent =
  /** A scripted service answered (`LocalAws.service`). */
  | (OtherServiceCall & {
      readonly type: 'wire.answered';
      /** The error code of the answer. @default - the call succeeded */
      readonly code?: string;
    })
  | (OtherServiceCall & { readonly type: 'wire.forwarded'; readonly url: string; readonly status: number })
  /** An emulator that the user runs did not answer. The client met a connection error. */
  | (OtherServiceCall & {
      readonly type: 'wire.forward-failed';
      readonly url: string;
      readonly code: string;
      readonly reason: string;
    })
  /** A client called an AWS endpoint that is not simulated: another service, or another Region. It was answered 501. */
  | {
      readonly type: 'wire.not-implemented';
      readonly host: string;
      /** The service as in host names, for example `dynamodb`. */
      readonly service: string;
      /** Undefined when the host name has no Region. */
      readonly region?: string;
      readonly method: string;
      /** The API action, when the request's headers name one. */
      readonly action?: string;
    }
  /** The embedded AWS failed. The client was answered 500; the next call that moves time throws the error. */
  | {
      readonly type: 'wire.failed';
      readonly service: string;
      readonly action?: string;
      readonly error: string;
    }
  /**
   * The embedded AWS, or work scheduled by a scenario, failed while AWS was served over HTTP and no caller waited for
   * it. Time continued; the next call that moves time throws the error, or `ListenOptions.onError` receives it.
   */
  | { readonly type: 'wire.broke'; readonly error: string };
