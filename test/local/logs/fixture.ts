import type { AccessDecision, AccessRequest } from '../../../local/kernel/access';
import { AwsError } from '../../../local/kernel/aws-error';
import type { Caller } from '../../../local/kernel/caller';
import { Faults } from '../../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import type { InputOf, OutputOf } from '../../../local/kernel/service-api';
import type { Measurement } from '../../../local/kernel/telemetry';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace } from '../../../local/kernel/trace';
import type { LogsActions } from '../../../local/logs/actions';
import { Logs } from '../../../local/logs/logs';
import type { LogsTraceEvent } from '../../../local/logs/trace-events';

export const START_MS = Date.parse('2026-01-02T00:00:00Z');

const allowed = (yes: boolean): AccessDecision => ({ allowed: yes, reason: yes ? '' : 'denied by this test' });

/** CloudWatch Logs on a timeline of its own. */
export class LogsFixture {
  readonly timeline = new Timeline(START_MS);
  readonly trace = new Trace<LogsTraceEvent>(this.timeline);
  readonly faults = new Faults(this.timeline);
  readonly measured: Measurement[] = [];
  /** Actions on keys and on Logs that are denied to every caller. */
  readonly denied = new Set<string>();
  /** Whether this is denied to every caller. */
  deny: (request: AccessRequest) => boolean = () => false;
  /** What the access control was asked. */
  readonly asked: AccessRequest[] = [];
  /** What KMS was asked, as `action by service for encryption context`. */
  readonly askedOfKeys: string[] = [];

  /** What functions were invoked with, and as whom. */
  readonly invoked: {
    readonly functionArn: string;
    readonly type: string;
    readonly caller: Caller;
    readonly payload: string;
  }[] = [];
  /** The messages CloudWatch was shown, to read metrics out of them. */
  readonly seenByCloudWatch: string[] = [];
  /** The response of the function. */
  answerInvocation: (type: 'Event' | 'DryRun') => void = () => {};

  readonly logs: Logs = new Logs(
    {
      place: EXAMPLE_PLACE,
      timeline: this.timeline,
      random: new Random('logs'),
      access: {
        decide: request => {
          this.asked.push(request);
          return allowed(!this.denied.has(request.action) && !this.deny(request));
        },
      },
      keys: {
        decide: (_keyId, action, { principal, context }) => {
          const service = principal.kind === 'service' ? principal.service : principal.kind;
          this.askedOfKeys.push(`${action} by ${service} for ${context['kms:EncryptionContext:aws:logs:arn']}`);
          return allowed(!this.denied.has(action));
        },
      },
      faults: this.faults,
      metrics: { put: measurement => this.measured.push(measurement) },
      trace: this.trace,
    },
    {
      cloudWatch: { takeLogEvent: ({ message }) => void this.seenByCloudWatch.push(message) },
      lambda: () => ({
        invoke: (functionArn, caller, type, payload) => {
          this.invoked.push({ functionArn, type, caller, payload });
          this.answerInvocation(type);
        },
      }),
    },
  );

  /** Calls the API as an administrator. */
  call<Name extends keyof LogsActions>(action: Name, input: InputOf<LogsActions[Name]>): OutputOf<LogsActions[Name]> {
    return this.logs.call(action, this.logs.owner, input);
  }

  /** Creates a group with streams. */
  createGroup(logGroupName: string, ...streams: readonly string[]): void {
    this.call('CreateLogGroup', { logGroupName });
    for (const logStreamName of streams) this.call('CreateLogStream', { logGroupName, logStreamName });
  }

  /** Puts events, each so many milliseconds from now. */
  put(
    logGroupName: string,
    logStreamName: string,
    ...events: readonly (readonly [fromNowMs: number, message: string])[]
  ) {
    const logEvents = events.map(([fromNowMs, message]) => ({ timestamp: this.timeline.nowMs + fromNowMs, message }));
    return this.call('PutLogEvents', { logGroupName, logStreamName, logEvents });
  }

  /** Writes one event as an administrator. */
  write(groupName: string, streamName: string, message: string): void {
    this.logs.write(this.logs.owner, groupName, streamName, message);
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    await this.timeline.advanceTo(this.timeline.nowMs + ms);
  }
}

/** The error `call` throws, as a client sees it. */
export function errorOf(call: () => unknown): { code: string; message: string } {
  try {
    call();
  } catch (error) {
    if (error instanceof AwsError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}
