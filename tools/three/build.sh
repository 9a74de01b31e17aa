#!/usr/bin/env bash
# Makes src/quatrain/viewer/page/three.min.js from the npm package three: run it to take over a new version.
set -euo pipefail
cd "$(dirname "$0")"
three=0.187.0 esbuild=0.28.2
page=../../src/quatrain/viewer/page
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp parts.js "$work"
(cd "$work" && npm init --yes >/dev/null && npm install --no-audit --no-fund "three@$three" "esbuild@$esbuild")
cp "$work/node_modules/three/LICENSE" "$page/three.LICENSE"
"$work/node_modules/.bin/esbuild" "$work/parts.js" --bundle --minify --format=iife --global-name=THREE \
  --legal-comments=none --banner:js="/* three.js $three, MIT licence: three.LICENSE */" --outfile="$page/three.min.js"
