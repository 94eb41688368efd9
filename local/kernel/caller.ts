import { parseArn } from '../../policy/arn';
import type { Scheduler } from './timeline';

/** Who asks for something. */
export type Principal =
  /** An AWS service acting for the owner of a resource, for example `sns.amazonaws.com`. */
  | { readonly kind: 'service'; readonly service: string }
  /** Somebody, or some function, who has assumed a role. */
  | {
      readonly kind: 'role';
      readonly arn: string;
      /** What the session was called when somebody assumed the role by STS. @default - a service acts with the role */
      readonly sessionName?: string;
    }
  /** An administrator of an account: the one who runs the command or the test. */
  | { readonly kind: 'account'; readonly account: string };

/** How long an answer takes beyond the call itself. Whoever waits for answers passes one along, and finds it filled in. */
export interface Latency {
  ms: number;
}

/** Goes on once the answer is there: at once, where nothing makes it late. */
export function afterLatency(timeline: Pick<Scheduler, 'after'>, { ms }: Latency, next: () => void): void {
  if (ms === 0) next();
  else timeline.after(ms, next);
}

/** Calls `listener` once a caller has gone away without an answer. */
export type OnGone = (listener: () => void) => void;

/** A principal and what AWS knows of the call: `aws:SourceArn`, `aws:SourceAccount`, `aws:SecureTransport`, … */
export interface Caller {
  readonly principal: Principal;
  /** Condition keys in their usual spelling. */
  readonly context: Readonly<Record<string, string>>;
  /** `X-Amzn-Trace-Id` of the call, which SQS and SNS hand on: by it Lambda finds functions that feed themselves. */
  readonly traceHeader?: string | undefined;
  /** Where a fault that makes the service slow says by how much. @default - the caller does not wait */
  readonly latency?: Latency | undefined;
  /** Calls back once nobody waits for the answer any more, as when a client hangs up. @default - the caller stays */
  readonly onGone?: OnGone | undefined;
  /** Nobody signed the call: somebody follows a link in a message of SNS. @default false */
  readonly isAnonymous?: boolean | undefined;
}

/** The AWS service `service` calling on behalf of the resource `sourceArn`, which lives in `sourceAccount`. */
export function serviceCaller(service: string, sourceArn: string, sourceAccount: string): Caller {
  return {
    principal: { kind: 'service', service },
    context: { 'aws:SourceArn': sourceArn, 'aws:SourceAccount': sourceAccount, 'aws:SecureTransport': 'true' },
  };
}

/** A function, or a service, that acts with the permissions of the role `roleArn`. */
export function roleCaller(roleArn: string): Caller {
  return { principal: { kind: 'role', arn: roleArn }, context: { 'aws:SecureTransport': 'true' } };
}

/** Somebody who has assumed the role `roleArn` in a session of that name. */
export function sessionCaller(roleArn: string, sessionName: string): Caller {
  return { principal: { kind: 'role', arn: roleArn, sessionName }, context: { 'aws:SecureTransport': 'true' } };
}

/** The ARN of a session: the role's name without its path, and the session's. */
export function assumedRoleArn(roleArn: string, sessionName: string): string {
  const { partition = '', account = '', resource = '' } = parseArn(roleArn) ?? {};
  const name = resource.slice(resource.lastIndexOf('/') + 1);
  return `arn:${partition}:sts::${account}:assumed-role/${name}/${sessionName}`;
}

/** An administrator of `account`. */
export function administrator(account: string): Caller {
  return { principal: { kind: 'account', account }, context: { 'aws:SecureTransport': 'true' } };
}

/** The account a caller belongs to; a service belongs to none, whomever it calls for. */
export function accountOf({ principal }: Caller): string | undefined {
  if (principal.kind === 'account') return principal.account;
  return principal.kind === 'role' ? parseArn(principal.arn)?.account : undefined;
}

/** The ARN that stands for a whole account, and for its root user. */
export function rootArn(partition: string, account: string): string {
  return `arn:${partition}:iam::${account}:root`;
}

/** Who somebody is, as AWS names them when it refuses: a user, role or session by its ARN, a service by its name. */
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

/** The ARN by which policies know a caller: of a session, that of its role; a service has none. */
export function principalArn({ principal }: Caller, partition: string): string | undefined {
  if (principal.kind === 'service') return undefined;
  return principal.kind === 'role' ? principal.arn : rootArn(partition, principal.account);
}

/** What most services tell a caller who may not do something. */
export function notAuthorized(caller: Caller, partition: string, permission: string, resourceArn: string): string {
  const who = callerName(caller, partition);
  return `User: ${who} is not authorized to perform: ${permission} on resource: ${resourceArn}`;
}
