import { stringMember } from '../json';
import { type CloudFormationAction, stackPage } from './cloud-formation-action';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListStacks.html */
export const listStacks: CloudFormationAction<'ListStacks'> = {
  permission: 'cloudformation:ListStacks',
  resourceOf: () => ({ arn: '*' }),
  run: ({ directory }, { input: { StackStatusFilter, NextToken } }) => {
    const wanted = directory
      .all()
      .filter(({ status }) => !StackStatusFilter?.length || StackStatusFilter.includes(status));
    const { items, nextToken } = stackPage([...wanted].reverse(), NextToken);
    return {
      StackSummaries: items.map(({ id, name, status, root, description: { parent, template, createdAtMs } }) => {
        const about = stringMember(template, 'Description');
        return {
          StackId: id,
          StackName: name,
          ...(about !== undefined && { TemplateDescription: about }),
          CreationTime: new Date(createdAtMs),
          StackStatus: status,
          ...(parent && { ParentId: parent.id, RootId: root?.id }),
          DriftInformation: { StackDriftStatus: 'NOT_CHECKED' },
        };
      }),
      ...(nextToken !== undefined && { NextToken: nextToken }),
    };
  },
};
