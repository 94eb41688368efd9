import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../api';
import { CallFailed } from './server-connection';

/** An action of the user, which takes a while and may fail. */
export interface Action {
  readonly isBusy: boolean;
  /** Why the last one failed. Undefined if it did not. */
  readonly problem: Problem | undefined;
  /** Returns undefined if it failed. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>;
  /** Forgets why the last one failed. */
  forget(): void;
}

function problemOf(error: unknown): Problem {
  if (error instanceof CallFailed) return error.problem;
  return { kind: 'failed', says: error instanceof Error ? error.message : String(error) };
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const run = async <T,>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    setProblem(undefined);
    try {
      return await work();
    } catch (error) {
      setProblem(problemOf(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run, forget: () => setProblem(undefined) };
}

interface Answered<Answer> {
  /** The last one, while the next is awaited. */
  readonly answer?: Answer;
  readonly problem?: Problem;
}

/**
 * Asks again whenever something changes that the answer depends on.
 *
 * @param afterMs how long nothing must change before it asks
 */
export function useAnswer<Answer>(
  ask: () => Promise<Answer>,
  dependsOn: readonly unknown[],
  afterMs = 0,
): Answered<Answer> {
  const [answered, setAnswered] = useState<Answered<Answer>>({});
  useEffect(() => {
    let isShown = true;
    const timer = setTimeout(() => {
      ask().then(
        answer => isShown && setAnswered({ answer }),
        error => isShown && setAnswered(before => ({ ...before, problem: problemOf(error) })),
      );
    }, afterMs);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [...dependsOn]);
  return answered;
}

/** Why something failed, if it did. */
export function Failure({ of }: { readonly of: Problem | undefined }) {
  if (!of) return null;
  return (
    <p class="problem" role="alert">
      {of.says}
    </p>
  );
}

interface FormProps {
  readonly class: string;
  /** @param text what was typed or chosen in a field. Empty for nothing, and for a box that is not checked */
  readonly send: (text: (field: string) => string) => void;
  readonly children: ComponentChildren;
}

export function Form({ class: name, send, children }: FormProps) {
  return (
    <form
      class={name}
      onSubmit={event => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        send(field => String(data.get(field) ?? ''));
      }}
    >
      {children}
    </form>
  );
}

/** The options of a select: each value, and what it says. */
export function Options({ of }: { readonly of: readonly (readonly [value: string | number, says: string])[] }) {
  return (
    <>
      {of.map(([value, says]) => (
        <option key={value} value={value}>
          {says}
        </option>
      ))}
    </>
  );
}
