/** What happens between clients and services. */
export type WireTraceEvent =
  /** A client reached for an AWS endpoint that is not here: another service, or another Region. It was answered 501. */
  | {
      readonly type: 'wire.not-implemented';
      readonly host: string;
      /** As host names call it, for example `dynamodb`. */
      readonly service: string;
      /** Undefined where the host name has none. */
      readonly region?: string;
      readonly method: string;
      /** The API action, where the request names one in its headers. */
      readonly action?: string;
    }
  /** The embedded AWS itself broke. The client was answered 500; whoever moves time next gets the error. */
  | {
      readonly type: 'wire.failed';
      readonly service: string;
      readonly action?: string;
      readonly error: string;
    }
  /**
   * Something broke while AWS was served over HTTP and nobody was there to be told: due work of ours or of a scenario's,
   * an answer that could not be written. Time went on; whoever moves it next gets the error, or `ListenOptions.onError`.
   */
  | { readonly type: 'wire.broke'; readonly error: string };
