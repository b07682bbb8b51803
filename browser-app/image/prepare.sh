#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The image's second stage: system packages, the user, and rights.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update
# Without procps Theia does not end on SIGTERM while terminals are open (1.74).
apt-get install --yes --no-install-recommends ca-certificates git openssh-client procps tini
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log
useradd --uid 1000 --gid 0 --no-create-home --home-dir /home/ide --shell /bin/bash ide
# OpenShift runs an image as any user, but always with group 0.
install --directory --owner=1000 --group=0 --mode=0770 /home/ide /workspace
# Gemini CLI and the companion trust system settings only where nobody but root can write them.
for folder in /etc/qwen-code /etc/gemini-cli /opt/ide; do
    chown -R root:root "$folder"
    chmod -R u=rwX,go=rX "$folder"
done
