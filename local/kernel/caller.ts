import { parseArn } from '../../policy/arn';
import type { Scheduler } from './timeline';

/** The identity behind a call. */
type Principal =
  /** An AWS service acting for the owner of a resource, for example `sns.amazonaws.com`. */
  | { readonly kind: 'service'; readonly service: string }
  /** A user or a function that has assumed a role. */
  | {
      readonly kind: 'role';
      readonly arn: string;
      /** The session name of a caller that assumed the role through STS. @default - a service uses the role */
      readonly sessionName?: string;
    }
  /** An administrator of an account: the user who runs the command or the test. */
  | { readonly kind: 'account'; readonly account: string };

/**
 * The time that an answer takes in addition to the call itself. The caller passes an object, which the service fills
 * in.
 */
export interface Latency {
  ms: number;
}

/** Calls `next` when the answer has arrived: immediately, unless a latency was set. */
export function afterLatency(timeline: Pick<Scheduler, 'after'>, { ms }: Latency, next: () => void): void {
  if (ms === 0) next();
  else timeline.after(ms, next);
}

/** Registers a listener for a caller that disconnects before it has an answer. */
export type OnGone = (listener: () => void) => void;

/** A principal and what AWS knows of the call: `aws:SourceArn`, `aws:SourceAccount`, `aws:SecureTransport`, … */
export interface Caller {
  readonly principal: Principal;
  /** Condition keys in their usual spelling. Most have one value. */
  readonly context: Readonly<Record<string, string | readonly string[]>>;
  /** `X-Amzn-Trace-Id` of the call. SQS and SNS pass it on, and Lambda detects recursive loops by it. */
  readonly traceHeader?: string | undefined;
  /** Receives the latency of a fault that makes the service slow. @default - the caller does not wait */
  readonly latency?: Latency | undefined;
  /**
   * Notifies the service when the caller no longer waits for the answer, for example when a client disconnects.
   * @default - the caller waits
   */
  readonly onGone?: OnGone | undefined;
  /** Whether the call is unsigned: a recipient follows a link in an SNS message. @default false */
  readonly isAnonymous?: boolean | undefined;
  /** Whether it only watches the simulation: faults do not concern it, and the trace does not record it. @default false */
  readonly isObserver?: boolean | undefined;
}

/** The AWS service `service` calling on behalf of the resource `sourceArn`, which lives in `sourceAccount`. */
export function serviceCaller(service: string, sourceArn: string, sourceAccount: string): Caller {
  return {
    principal: { kind: 'service', service },
    context: { 'aws:SourceArn': sourceArn, 'aws:SourceAccount': sourceAccount, 'aws:SecureTransport': 'true' },
  };
}

/** A function or a service that uses the permissions of the role `roleArn`. */
export function roleCaller(roleArn: string): Caller {
  return { principal: { kind: 'role', arn: roleArn }, context: { 'aws:SecureTransport': 'true' } };
}

/** A caller that has assumed the role `roleArn` in a session of that name. */
export function sessionCaller(roleArn: string, sessionName: string): Caller {
  return { principal: { kind: 'role', arn: roleArn, sessionName }, context: { 'aws:SecureTransport': 'true' } };
}

/** The ARN of a session: it holds the role's name without its path, and the session's name. */
export function assumedRoleArn(roleArn: string, sessionName: string): string {
  const { partition = '', account = '', resource = '' } = parseArn(roleArn) ?? {};
  const name = resource.slice(resource.lastIndexOf('/') + 1);
  return `arn:${partition}:sts::${account}:assumed-role/${name}/${sessionName}`;
}

/** An administrator of `account`. */
export function administrator(account: string): Caller {
  return { principal: { kind: 'account', account }, context: { 'aws:SecureTransport': 'true' } };
}

/** The account a caller belongs to. A service belongs to none, even when it calls on behalf of a resource. */
export function accountOf({ principal }: Caller): string | undefined {
  if (principal.kind === 'account') return principal.account;
  return principal.kind === 'role' ? parseArn(principal.arn)?.account : undefined;
}

/** The ARN of a whole account, which is also that of its root user. */
export function rootArn(partition: string, account: string): string {
  return `arn:${partition}:iam::${account}:root`;
}

/** The name of a caller in AWS's error texts: the ARN of a user, role or session, or the name of a service. */
export function callerName({ principal }: Caller, partition: string): string {
  switch (principal.kind) {
    case 'account':
      return rootArn(partition, principal.account);
    case 'role':
      return principal.sessionName === undefined ? principal.arn : assumedRoleArn(principal.arn, principal.sessionName);
    case 'service':
      return principal.service;
  }
}

/** The ARN by which policies identify a caller. For a session it is the ARN of its role; a service has none. */
export function principalArn({ principal }: Caller, partition: string): string | undefined {
  if (principal.kind === 'service') return undefined;
  return principal.kind === 'role' ? principal.arn : rootArn(partition, principal.account);
}

/** The text that most services answer when the caller lacks a permission. */
export function notAuthorized(caller: Caller, partition: string, permission: string, resourceArn: string): string {
  const who = callerName(caller, partition);
  return `User: ${who} is not authorized to perform: ${permission} on resource: ${resourceArn}`;
}
