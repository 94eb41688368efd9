import type { PropertyReader } from '../../cloudformation/property-reader';
import { tagsProperty } from '../../cloudformation/tags-property';
import { actionProblem } from '../alarms/action-arns';
import { validationError } from '../errors';

/** What every alarm takes from a template. */
export function alarmProperties(properties: PropertyReader, region: string) {
  return {
    AlarmDescription: properties.string('AlarmDescription'),
    ActionsEnabled: properties.boolean('ActionsEnabled'),
    OKActions: actions(properties, 'OKActions', region),
    AlarmActions: actions(properties, 'AlarmActions', region),
    InsufficientDataActions: actions(properties, 'InsufficientDataActions', region),
    Tags: tagsProperty(properties),
  };
}

export function requiredNumber(properties: PropertyReader, name: string): number | undefined {
  return properties.number(name) ?? properties.problem(name, 'is required');
}

function actions(properties: PropertyReader, name: string, region: string): string[] {
  const arns = properties.strings(name) ?? [];
  for (const arn of arns) {
    properties.attempt(name, () => {
      const problem = actionProblem(arn, region);
      if (problem !== undefined) throw validationError(problem);
    });
  }
  return [...arns];
}
