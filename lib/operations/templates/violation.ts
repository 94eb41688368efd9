import type { PolicyViolation } from 'aws-cdk-lib';
import type { Finding } from '../../../diagnosis/checks/finding';
import { publishedCheck } from '../../shared/published-runbook';
import type { Unread } from './checked-templates';

/** As CDK's report has it: an error stops synthesis, a warning and an information do not. */
function reportedSeverity({ severity }: Finding, stops: boolean): string {
  if (stops) return 'error';
  return severity === 'note' ? 'info' : 'warning';
}

function fixText({ id, fix }: Finding): string {
  const statement = fix.statement === undefined ? '' : ` The statement: ${JSON.stringify(fix.statement)}`;
  return `${fix.says}${statement} (${publishedCheck(id)})`;
}

/**
 * A finding as CDK reports it.
 * @param stops whether it stops synthesis
 */
export function violationOf(finding: Finding, stops: boolean): PolicyViolation {
  const { id, says, severity, resource, location } = finding;
  return {
    ruleName: id,
    description: says,
    fix: fixText(finding),
    severity: reportedSeverity(finding, stops),
    ruleMetadata: { severity },
    violatingResources: resource.place
      ? [
          {
            resourceLogicalId: resource.place.logicalId,
            templatePath: resource.place.templatePath,
            locations: location === undefined ? [] : [location.replaceAll('/', '.')],
          },
        ]
      : [],
  };
}

/** A template that could not be read, and so was not checked. */
export function unreadViolation({ says, stackPath }: Unread): PolicyViolation {
  const violatingResources = [{ constructPath: stackPath, locations: [] }];
  return { ruleName: 'template-not-read', description: says, severity: 'info', violatingResources };
}
