import type { Verdict } from '../../template/conditions';
import { evaluate } from '../../template/evaluate';
import type { NoteProblem } from '../../template/problems';
import { PENDING, scalarText } from '../../template/values';
import { isMembers } from '../kernel/json';
import { stringMember } from './json';
import type { Template } from './template';
import type { TemplateScope } from './template-scope';

export interface Output {
  readonly logicalId: string;
  readonly value: unknown;
  readonly description?: string;
  readonly exportName?: string;
}

/** The outputs whose conditions hold. */
export function readOutputs(template: Template, scope: TemplateScope, note: NoteProblem): readonly Output[] {
  return Object.entries(template.outputs).flatMap(([logicalId, output]) => {
    const at = `Outputs.${logicalId}`;
    if (!isMembers(output) || output['Value'] === undefined) {
      note(`${at}: Value is required`);
      return [];
    }
    const condition = scalarText(output['Condition']);
    if (conditionHolds(condition, at, scope, note) === false) return [];
    const value = evaluate(output['Value'], `${at}.Value`, scope, note);
    const description = stringMember(output, 'Description');
    const read = { logicalId, value, ...(description === undefined ? {} : { description }) };
    const exporting = output['Export'];
    if (exporting === undefined) return [read];
    const name = isMembers(exporting) ? evaluate(exporting['Name'], `${at}.Export.Name`, scope, note) : undefined;
    if (typeof name === 'string') return [{ ...read, exportName: name }];
    if (name !== PENDING) note(`${at}: Export.Name must be a string`);
    return [read];
  });
}

/** Is what `owner` stands for wanted at all? Without a condition it is. */
export function conditionHolds(
  condition: string | undefined,
  owner: string,
  scope: TemplateScope,
  note: NoteProblem,
): Verdict {
  if (condition === undefined) return true;
  return scope.condition(condition, rule => {
    note(`${owner}: Condition ${rule}`);
    return PENDING;
  });
}
