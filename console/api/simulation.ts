/** How an endpoint outside AWS can be made to behave. */
export const ENDPOINT_MOODS = ['up', 'down', 'error', 'slow', 'flaky', 'throttling', 'gone'] as const;
export type EndpointMood = (typeof ENDPOINT_MOODS)[number];

/** How a service can be made to fail. */
export const FAULT_KINDS = ['error', 'throttle', 'slow'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** The services that messages need. Each can be made to fail. */
export const FAULT_SERVICES = [
  'lambda',
  'sqs',
  'sns',
  'events',
  'scheduler',
  'kms',
  'secretsmanager',
  'sts',
  'ssm',
  'monitoring',
  'logs',
] as const;

export interface SimulatedEndpoint {
  readonly host: string;
  readonly requests: number;
  /** `null`: something else than this console set how it behaves. */
  readonly mood: EndpointMood | null;
}

export interface SimulatedFault {
  readonly says: string;
  readonly untilMs: number | null;
}

/** A permission that a policy of a queue or of a function's role gives, or a managed policy of such a role. */
export interface SimulatedPermission {
  readonly id: string;
  /** The name of the queue, or of the functions with the role. */
  readonly holder: string;
  readonly says: string;
  readonly isTaken: boolean;
}

/** A point of the run to which one can return. */
export interface SimulatedSnapshot {
  readonly name: string;
  /** What came after it: `before billing.example.com refused connections`. */
  readonly says: string;
  /** `null`: something else than this console took it. */
  readonly atMs: number | null;
  readonly events: number | null;
}

export interface StoryDocument {
  readonly title: string;
  readonly endsAtMs: number;
  /** What happens in it, oldest first. */
  readonly marks: readonly { readonly atMs: number; readonly says: string }[];
}

export interface SimulationDocument {
  readonly beganMs: number;
  readonly nowMs: number;
  readonly story: StoryDocument | null;
  readonly speed: number | 'max';
  readonly events: number;
  /** The newest events of the trace, as `dlo local` prints them, the newest first. */
  readonly newest: readonly {
    readonly seq: number;
    readonly atMs: number;
    readonly type: string;
    readonly facts: string;
    /** One of the ids of the message that it is about. */
    readonly messageId: string | null;
  }[];
  /** Those with most subscriptions first. */
  readonly topics: readonly string[];
  readonly queues: readonly string[];
  readonly endpoints: readonly SimulatedEndpoint[];
  /** Endpoints of subscriptions that wait for confirmation, each once. They receive nothing before it. */
  readonly unconfirmed: readonly string[];
  readonly faults: readonly SimulatedFault[];
  /** `null`: they are still read. */
  readonly permissions: readonly SimulatedPermission[] | null;
  /** Oldest first. */
  readonly snapshots: readonly SimulatedSnapshot[];
  /** The point before the last action of the user that was not undone. */
  readonly undo: SimulatedSnapshot | null;
}

export interface Moved {
  readonly nowMs: number;
  readonly events: number;
}

type Empty = Record<string, never>;

export interface SimulationCalls {
  readonly 'simulation/speed': { readonly input: { readonly speed: number | 'max' }; readonly output: Empty };
  readonly 'simulation/step': { readonly input: Empty; readonly output: Moved };
  /** Either of the two. */
  readonly 'simulation/jump': {
    readonly input: { readonly seconds?: number; readonly until?: string };
    readonly output: Moved;
  };
  /** Goes to an instant: on, or back. */
  readonly 'simulation/travel': { readonly input: { readonly atMs: number }; readonly output: Empty };
  readonly 'simulation/endpoint': {
    readonly input: { readonly host: string; readonly mood: EndpointMood };
    readonly output: Empty;
  };
  readonly 'simulation/confirm': { readonly input: { readonly endpoint: string }; readonly output: Empty };
  readonly 'simulation/fault': {
    readonly input: {
      readonly service: (typeof FAULT_SERVICES)[number];
      readonly kind: FaultKind;
      /** @default - every action */
      readonly action?: string;
      /** @default - it does not end */
      readonly forSeconds?: number;
    };
    readonly output: Empty;
  };
  readonly 'simulation/end-faults': { readonly input: Empty; readonly output: Empty };
  readonly 'simulation/permission': {
    readonly input: { readonly id: string; readonly isTaken: boolean };
    readonly output: Empty;
  };
  /** `{n}` in the message is its number. */
  readonly 'simulation/send': {
    readonly input: {
      readonly to: 'topic' | 'queue';
      readonly name: string;
      readonly message: string;
      readonly count: number;
      readonly everySeconds: number;
      readonly attributes?: Readonly<Record<string, string>>;
      /** For a FIFO topic or queue. */
      readonly groupId?: string;
    };
    readonly output: { readonly messageId: string };
  };
  readonly 'simulation/snapshot': { readonly input: Empty; readonly output: { readonly name: string } };
  /** `null`: to the beginning. */
  readonly 'simulation/restore': { readonly input: { readonly name: string | null }; readonly output: Empty };
}
