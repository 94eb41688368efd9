import { parseArn } from '../kernel/arn';
import type { Caller } from '../kernel/caller';

/** The account somebody calls from, or for. */
export function accountOf({ principal, context }: Caller): string | undefined {
  switch (principal.kind) {
    case 'account':
      return principal.account;
    case 'role':
      return parseArn(principal.arn)?.account;
    case 'service':
      return context['aws:SourceAccount'];
  }
}

/** Who somebody is, as AWS names them when it refuses. */
export function nameOf({ principal }: Caller, partition: string): string {
  switch (principal.kind) {
    case 'account':
      return `arn:${partition}:iam::${principal.account}:root`;
    case 'role':
      return principal.arn;
    case 'service':
      return principal.service;
  }
}
