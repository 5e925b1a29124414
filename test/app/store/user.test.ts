import { expect } from 'chai';
import { userInfo } from 'node:os';
import { operatorName } from '../../../app/store/user';

describe('The operator of a command', () => {
  it('is the user who ran sudo, or the user of the process if SUDO_USER is unset or empty', () => {
    expect(operatorName({ SUDO_USER: 'ada' })).to.equal('ada');
    for (const environment of [{}, { SUDO_USER: '' }])
      expect(operatorName(environment)).to.equal(userInfo().username);
  });
});
