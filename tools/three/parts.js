// The parts of three.js that the page uses; build.sh makes one file of them.
export {
  ACESFilmicToneMapping, AmbientLight, AxesHelper, BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight,
  DoubleSide, Group, HemisphereLight, InstancedMesh, Line, LineBasicMaterial, LineSegments, Matrix4, Mesh,
  MeshLambertMaterial, MeshStandardMaterial, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Points, PointsMaterial, Quaternion,
  Raycaster, Scene, ShadowMaterial, Sprite, SpriteMaterial, Vector2, Vector3, WebGLRenderer,
} from 'three';
export { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
