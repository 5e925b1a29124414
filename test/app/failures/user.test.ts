import { expect } from 'chai';
import { mock } from 'node:test';
import os, { userInfo } from 'node:os';
import { currentUser, operatorName, userName } from '../../../app/failures/user';

describe('The operator of a command', () => {
  it('is the user who ran sudo, or the user of the process if SUDO_USER is unset or empty', () => {
    expect(operatorName({ SUDO_USER: 'ada' })).to.equal('ada');
    for (const environment of [{}, { SUDO_USER: '' }])
      expect(operatorName(environment)).to.equal(userInfo().username);
  });
});

describe('The name of a user', () => {
  afterEach(() => {
    mock.reset();
  });

  const uid = process.getuid?.() ?? 0;
  const systemName = (readName: () => string): void => {
    mock.method(os, 'userInfo', () => ({ username: readName() }));
  };

  it('is the one that the system has for the user of the process, who may be missing in /etc/passwd', () => {
    systemName(() => 'ada');
    for (const name of [currentUser(), userName(uid), operatorName({})]) expect(name).to.equal('ada');
  });

  it('is the one in /etc/passwd for another user', () => {
    systemName(() => 'ada');
    expect([userName(uid === 1 ? 0 : 1), userName(501_502)]).to.deep.equal([
      uid === 1 ? 'root' : 'daemon',
      'the user 501502',
    ]);
  });

  it('is the id if the system has no name', () => {
    systemName(() => {
      throw new Error('ENOENT: no such file or directory, uv_os_get_passwd');
    });
    expect([currentUser(), userName(uid)]).to.deep.equal([`the user ${uid}`, `the user ${uid}`]);
  });
});
