/** A message in the list of those that the simulation has seen. */
export interface MessageRow {
  readonly id: string;
  readonly number: number;
  readonly atMs: number;
  readonly lastAtMs: number;
  /** Where it began: the name of a topic, queue, bus, rule, schedule or function. */
  readonly place: string;
  /** The worst that happened to it. */
  readonly trouble: 'none' | 'failed' | 'dead-lettered' | 'lost';
  readonly events: number;
  readonly body: string | null;
}

export interface MessageSearch {
  /** Part of a body, or the start of an id. */
  readonly text: string;
  /** The name of a topic, queue or function, or the URL of an endpoint. */
  readonly place: string;
  readonly trouble: MessageRow['trouble'];
  /** Only messages with a lower number. */
  readonly before: number | null;
}

export interface MessageList {
  readonly messages: readonly MessageRow[];
  /** How many messages the trace has. */
  readonly total: number;
  /** The value of `before` for the next page. */
  readonly next: number | null;
}

export type PlaceKind = 'topic' | 'bus' | 'rule' | 'schedule' | 'queue' | 'function' | 'endpoint' | 'dead-letter-queue';

/** A lane of the picture. */
export interface JourneyPlace {
  /** The ARN, or the URL or address of an endpoint. */
  readonly id: string;
  readonly kind: PlaceKind;
  readonly name: string;
}

/** `waiting`: it can be received. `retry`: the service waits before the next attempt. */
export type SpanKind = 'waiting' | 'delayed' | 'in-flight' | 'running' | 'retry';

/** Something that lasted, between two steps. */
export interface JourneySpan {
  readonly place: string;
  readonly kind: SpanKind;
  /** Indexes of steps. `null`: it still lasts. */
  readonly from: number;
  readonly to: number | null;
  readonly fromMs: number;
  readonly untilMs: number | null;
}

export type StepKind = 'began' | 'ok' | 'received' | 'waits' | 'failed' | 'moved' | 'dead' | 'lost' | 'dropped' | 'gap';

/** Something that happened to the message. */
export interface JourneyStep {
  /** The number of the event in the trace. `null`: time passed, and no event says so. */
  readonly seq: number | null;
  readonly atMs: number;
  readonly place: string;
  readonly kind: StepKind;
  readonly says: string;
  readonly rule: { readonly title: string; readonly url: string } | null;
  /** The invocation whose log lines belong to it. */
  readonly log: { readonly functionArn: string; readonly requestId: string } | null;
}

/** The message went from one place to another. */
export interface JourneyMove {
  readonly from: string;
  readonly to: string;
  /** Indexes of the steps where it left and arrived. */
  readonly left: number;
  readonly arrived: number;
  readonly kind: 'delivers' | 'dead-letters' | 'returns';
}

/** What became of the message at one place. */
export interface JourneyEnd {
  readonly place: string;
  readonly kind: 'done' | 'under-way' | 'dead-letter' | 'lost' | 'dropped';
  readonly says: string;
}

export interface Journey {
  readonly id: string;
  readonly ids: readonly string[];
  readonly body: string | null;
  readonly nowMs: number;
  readonly places: readonly JourneyPlace[];
  readonly steps: readonly JourneyStep[];
  readonly spans: readonly JourneySpan[];
  readonly moves: readonly JourneyMove[];
  readonly ends: readonly JourneyEnd[];
  /** How many events of a very long journey are left out. */
  readonly leftOut: number;
}

export interface InvocationLog {
  readonly group: string;
  readonly lines: readonly { readonly atMs: number; readonly text: string }[];
}

export interface JourneyCalls {
  readonly 'journey/search': { readonly input: MessageSearch; readonly output: MessageList };
  readonly 'journey/read': { readonly input: { readonly id: string }; readonly output: Journey };
  readonly 'journey/log': {
    readonly input: { readonly functionArn: string; readonly requestId: string };
    readonly output: InvocationLog;
  };
}
