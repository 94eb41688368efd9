import { knownValue } from '../../template/told';
import type { Fix } from '../fixes/fix';
import { type FedBy, giveTime } from '../fixes/give-time';
import { allowRole } from '../fixes/let-role';
import { letRun } from '../fixes/let-run';
import type { FunctionFacts } from '../inventory/inventory';
import { commonText, type Diagnosis } from './death';

/** How a function failed, as Lambda tells it. */
export interface FunctionFailure {
  readonly name: string;
  /** @default - it is not in the inventory */
  readonly facts?: FunctionFacts;
  /** As of HTTP: 200 where the function ran. */
  readonly statusCode: number;
  /** What it threw, or what Lambda says in its place. */
  readonly error: string;
  /** @default - its events do not come from a queue */
  readonly fedBy?: FedBy;
}

interface FailureRule {
  /** @default - any */
  readonly statusCode?: number;
  /** @default - anything */
  readonly saying?: RegExp;
  says(failure: FunctionFailure): string;
  fix(failure: FunctionFailure): Fix;
}

const DENIED = /not authorized to perform: ([\w-]+:\w+)(?: on resource: (?:"|')?(arn:[^\s"',]+))?/;

/** What the function's role lacks, where the error names it and the function's role is known. */
function letItsRole({ facts, error }: FunctionFailure): Fix {
  const [, action, resource] = DENIED.exec(error) ?? [];
  const roleArn = facts && knownValue(facts.roleArn);
  // A policy elsewhere that denies it by name cannot be mended here.
  const isPlain = !/explicit deny/.test(error);
  if (isPlain && roleArn !== undefined && action !== undefined && resource !== undefined) {
    return allowRole(roleArn, [action], resource);
  }
  return { says: 'Let its role do what the error names, on what it names.' };
}

const timedOut = /Task timed out after ([\d.]+) seconds/;

/** The first that applies says it. */
const RULES: readonly FailureRule[] = [
  {
    saying: timedOut,
    says: ({ name, error }) => `The function ${name} timed out after ${Number(timedOut.exec(error)?.[1])} seconds.`,
    fix: ({ facts, fedBy }) =>
      facts ? giveTime(facts, fedBy) : { says: 'See in its log what it waits for, or raise its timeout.' },
  },
  {
    saying: /OutOfMemory|signal: killed/,
    says: ({ name }) => `The function ${name} ran out of memory, and was killed.`,
    fix: () => ({ says: 'Raise its memory size; REPORT lines of its log say how much it used.' }),
  },
  {
    saying: /ImportModuleError|HandlerNotFound|Cannot find (module|package)|UserCodeSyntaxError|InvalidEntrypoint/,
    says: ({ name }) => `The function ${name} does not start: its code cannot be loaded.`,
    fix: () => ({ says: 'Deploy it again with all that it needs, or go back to the version before.' }),
  },
  {
    saying: DENIED,
    says: ({ name, error }) => `The role of the function ${name} may not do ${DENIED.exec(error)?.[1]}.`,
    fix: letItsRole,
  },
  {
    statusCode: 429,
    says: ({ name }) => `The function ${name} was throttled until its events were too old, or is switched off.`,
    fix: ({ facts }) => (facts ? letRun(facts) : { says: 'Raise its concurrency.' }),
  },
  {
    statusCode: 404,
    says: ({ name }) => `The function ${name}, or the version or alias that was invoked, does not exist any more.`,
    fix: () => ({ says: 'Deploy it anew under the same name.' }),
  },
  {
    statusCode: 403,
    says: ({ name }) => `Lambda could not run the function ${name}: access was denied, to its key or to its code.`,
    fix: () => ({ says: 'Let its role use the key its environment variables are encrypted with.' }),
  },
  {
    statusCode: 400,
    says: ({ name }) =>
      `Lambda did not run the function ${name}: it refused the invocation, such as one of an endless loop.`,
    fix: () => ({ says: 'Break the loop: have the function not write to what invokes it.' }),
  },
  {
    statusCode: 200,
    says: ({ name, error }) => `The function ${name} failed: ${commonText(error)}`,
    fix: ({ name }) => ({
      says: `Mend the code of ${name}, or what it depends on; its log tells more of each request.`,
    }),
  },
  {
    says: ({ name, statusCode }) =>
      `Lambda could not run the function ${name} (${statusCode}) until its events were too old.`,
    fix: () => ({ says: 'Nothing is left to mend once it is over: send the letters home.' }),
  },
];

/** What a function's failure means, and what to do about it. */
export function diagnoseFunction(failure: FunctionFailure): Diagnosis {
  const rule = RULES.find(
    ({ statusCode = failure.statusCode, saying }) =>
      statusCode === failure.statusCode && (saying?.test(failure.error) ?? true),
  );
  return rule ? { says: rule.says(failure), fix: rule.fix(failure) } : { says: `The function ${failure.name} failed.` };
}

/** What tells a failure from others of the function. */
export function functionCode({ statusCode, error }: FunctionFailure): string {
  const [text] = timedOut.exec(error) ?? [];
  if (text !== undefined) return text;
  return statusCode === 200 ? commonText(error) : `${statusCode} ${commonText(error)}`.trim();
}
