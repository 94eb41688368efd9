import type { PropertyReader } from '../../cloudformation/property-reader';
import { tagsProperty } from '../../cloudformation/tags-property';
import { actionProblem } from '../alarms/action-arns';
import { validationError } from '../errors';

/** What every alarm takes from a template. */
export function alarmProperties(properties: PropertyReader) {
  return {
    AlarmDescription: properties.string('AlarmDescription'),
    ActionsEnabled: properties.boolean('ActionsEnabled'),
    OKActions: actions(properties, 'OKActions'),
    AlarmActions: actions(properties, 'AlarmActions'),
    InsufficientDataActions: actions(properties, 'InsufficientDataActions'),
    Tags: tagsProperty(properties),
  };
}

export function requiredNumber(properties: PropertyReader, name: string): number | undefined {
  return properties.number(name) ?? properties.problem(name, 'is required');
}

function actions(properties: PropertyReader, name: string): string[] {
  const arns = properties.strings(name) ?? [];
  for (const arn of arns) {
    properties.attempt(name, () => {
      const problem = actionProblem(arn);
      if (problem !== undefined) throw validationError(problem);
    });
  }
  return [...arns];
}
