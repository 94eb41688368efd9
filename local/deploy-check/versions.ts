import { nearNames } from '../../policy/near-names';
import { AssemblyError, readAssembly } from '../cloudformation';
import type { LocalAwsOptions, SynthesizedAssembly } from '../facade/options';
import { isObject, type JsonObject } from '../kernel/json';
import { FAILING_KINDS, isFailing } from './comparison';

export type AssemblyLike = string | SynthesizedAssembly;

/** What a version of an app declares. */
interface Version {
  readonly assembly: AssemblyLike;
  readonly stacks: readonly string[];
  readonly templates: readonly JsonObject[];
  /** By name; whether a value must be given. */
  readonly parameters: ReadonlyMap<string, boolean>;
}

export function readVersion(assembly: AssemblyLike): Version {
  const { stacks } = readAssembly(typeof assembly === 'string' ? assembly : assembly.directory, true);
  const declared = stacks.flatMap(({ template: { Parameters }, parameters }) =>
    Object.entries(isObject(Parameters) ? Parameters : {}).map(([name, declaration]) => {
      const hasValue =
        Object.hasOwn(parameters, name) || (isObject(declaration) && declaration['Default'] !== undefined);
      return [name, !hasValue] as const;
    }),
  );
  return {
    assembly,
    stacks: stacks.map(({ name }) => name),
    templates: stacks.map(({ template }) => template),
    parameters: new Map(declared),
  };
}

type Values = NonNullable<LocalAwsOptions['parameters']>;

/**
 * The values for the parameters of each version: those that it declares.
 *
 * @throws AssemblyError for a value that no version declares, and for a parameter without a value
 */
export function valuesFor(old: Version, next: Version, given: Values): { readonly old: Values; readonly next: Values } {
  const all = [...new Set([...old.parameters.keys(), ...next.parameters.keys()])];
  const undeclared = Object.keys(given).filter(name => !all.includes(name));
  const problems = undeclared.map(
    name => `parameter ${name} has a value, but no template declares it: ${meant(name, all)}`,
  );
  for (const [version, { parameters }] of [
    ['old', old],
    ['new', next],
  ] as const) {
    const missing = [...parameters].filter(([name, mustBeGiven]) => mustBeGiven && !Object.hasOwn(given, name));
    problems.push(
      ...missing.map(
        ([name]) =>
          `parameter ${name} of the ${version} version has no default: give it a value (--parameter ${name}=…)`,
      ),
    );
  }
  if (problems.length > 0) throw new AssemblyError(problems);
  const of = ({ parameters }: Version) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => parameters.has(name)));
  return { old: of(old), next: of(next) };
}

function meant(name: string, names: readonly string[]): string {
  const near = nearNames(name, names);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${names.join(', ') || 'none'}`;
}

/** A change that is meant to happen. */
export interface Accepted {
  readonly receiver: string;
  readonly kind: string;
}

/** Reads `Shop/Picking:stops-arriving`. A host may have a colon. @throws AssemblyError */
export function readAccepted(texts: readonly string[]): readonly Accepted[] {
  const accepted = texts.map(text => {
    const at = text.lastIndexOf(':');
    return { text, receiver: text.slice(0, at), kind: text.slice(at + 1) };
  });
  const wrong = accepted.filter(({ receiver, kind }) => receiver === '' || !isFailing(kind));
  if (wrong.length === 0) return accepted;
  throw new AssemblyError(
    wrong.map(({ text }) => `accept must be RECEIVER:KIND, with a kind of ${FAILING_KINDS.join(', ')}: got ${text}`),
  );
}

/** @throws AssemblyError for names that do not exist in any version */
export function checkExist(option: string, what: string, given: readonly string[], existing: readonly string[]): void {
  const wrong = given.filter(name => !existing.includes(name));
  if (wrong.length === 0) return;
  throw new AssemblyError(
    wrong.map(name => `${option} must name ${what} that exists, got ${name}: ${meant(name, [...new Set(existing)])}`),
  );
}
