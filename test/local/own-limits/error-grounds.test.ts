import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { AwsError, OwnLimit } from '../../../local/kernel/aws-error';
import { AWS_SERVICES } from '../../../local/kernel/aws-service';
import { MODELS } from '../../../local/wire';
import { DrawnAccount, type DrawnRequest, drawnRequests } from './drawn-requests';
import GROUNDS from './error-grounds.json';
import { FOLDERS, type Service } from './services';

/**
 * Why an error that the SDK's client of a service does not declare is one that AWS gives: a page that documents it, a recording, or an
 * assumption of docs/assumptions.md. `*` holds for all services.
 */
interface Ground {
  readonly ground: string;
  readonly where: string;
}

const TABLE: Readonly<Record<string, Readonly<Record<string, Ground>>>> = GROUNDS;

/** An error that the client declares is documented: its API reference lists it. */
function hasGround(service: Service, code: string): boolean {
  return (
    MODELS[service].errors.has(code) || [TABLE[service], TABLE['*']].some(rows => rows && Object.hasOwn(rows, code))
  );
}

/** The text of a limit of ours, in the words of AWS. */
const OURS = /embedded AWS|not simulated|not implemented|Dead Letter Office/i;

/** What is wrong with an answer; undefined if AWS could have given it, or if it says that it is ours. */
function problemOf({ service, action }: DrawnRequest, error: unknown): string | undefined {
  if (error instanceof OwnLimit) return undefined;
  if (!(error instanceof AwsError)) return `${service}:${action} failed: ${String(error)}`;
  const { code, message } = error;
  if (!hasGround(service, code)) return `${service}:${action} answers ${code}, which has no ground: ${message}`;
  if (OURS.test(message)) return `${service}:${action} answers a limit of ours with ${code}: ${message}`;
  // Every value that is drawn for an enumeration is one of AWS's.
  if (message.includes('enum value set')) return `${service}:${action} refuses a value of AWS: ${message}`;
  return undefined;
}

function sourcesIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files.filter(it => it.name.endsWith('.ts')).map(it => readFileSync(path.join(it.parentPath, it.name), 'utf8'));
}

describe('errors in the words of AWS', () => {
  test.each(AWS_SERVICES)('%s throws no code without a ground', service => {
    const sources = FOLDERS[service].flatMap(folder => sourcesIn(`local/${folder}`)).join('\n');
    const codes = new Set(
      [...sources.matchAll(/new (?:AwsError|AccessRefused)\(\s*'([^']+)'/g)].map(([, code = '']) => code),
    );
    expect([...codes].filter(code => !hasGround(service, code))).toEqual([]);
  });

  test('every row of the table is needed, and says where its ground is', () => {
    for (const [service, rows] of Object.entries(TABLE)) {
      for (const [code, { ground, where }] of Object.entries(rows)) {
        expect(ground).toMatch(/^(?:documented|recorded|assumption)$/);
        expect(where).toMatch(ground === 'assumption' ? /^[A-Z0-9]+-\d+$/ : /./);
        const known = AWS_SERVICES.some(name => name === service && MODELS[name].errors.has(code));
        expect([service, code, known]).toEqual([service, code, false]);
      }
    }
  });

  test('whatever is asked of any service, no answer of AWS is made up', () => {
    fc.assert(
      fc.property(fc.array(drawnRequests(), { minLength: 20, maxLength: 20 }), requests => {
        const account = new DrawnAccount();
        const problems: string[] = [];
        const judge = (request: DrawnRequest) => (error: unknown) => {
          const problem = problemOf(request, error);
          if (problem !== undefined) problems.push(problem);
        };
        for (const request of requests) {
          const { service, action, document } = request;
          try {
            const answer = account.service(service).call(action, account.home.sqs.owner, document);
            if (answer instanceof Promise) answer.catch(judge(request));
          } catch (error) {
            judge(request)(error);
          }
        }
        expect(problems).toEqual([]);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});
