import type { StackRecord } from '../stack-record';
import { type CloudFormationAction, stackNamed } from './cloud-formation-action';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_GetTemplate.html */
export const getTemplate: CloudFormationAction<'GetTemplate', StackRecord> = {
  permission: 'cloudformation:GetTemplate',
  resourceOf: (state, { StackName }) => stackNamed(state, StackName),
  run: (_state, _call, { description: { template } }) => ({
    TemplateBody: JSON.stringify(template, undefined, 1),
    StagesAvailable: ['Original', 'Processed'],
  }),
};
