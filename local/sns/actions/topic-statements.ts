import type { Topic } from '../topic';

/** The statements of a topic's policy, which may be written as a list or as a single one. */
export function statementsOf({ policy }: Topic): readonly unknown[] {
  const { Statement } = policy;
  return Array.isArray(Statement) ? Statement : [Statement];
}
